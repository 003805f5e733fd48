import SyncBytes
import SyncHTTP
import SyncJSON
import SyncModel
import SyncServer
import SyncWebSocket
import Testing

/// Members whose lines take too long for a turn of a loop.
@Suite struct LongLineTests {
    private func join(_ world: HTTPWorld, _ query: String = "") throws -> HTTPClient {
        let client = try world.connect(
            by: WebSocketClient(target: "/v1/ws?room=list\(query)", host: "server", .lines))
        #expect(world.run { client.receivedText.contains(#"{"welcome":"#) })
        return client
    }

    private func insert(_ id: String, _ fields: String = "") -> String {
        #"{"ops":[{"insert":{"item":{"id":"\#(id)","fields":{\#(fields)}},"#
            + #""to":{"section":"main"}}}]}"# + "\n"
    }

    /// A line that takes the longest to read for its length.
    private let wide = #""t":["# + String(repeating: "[],", count: 40_000) + "[]]"

    /// Opens a view in which each supplementary of an item has the item's content.
    private func view(supplementaries count: Int) -> String {
        let all = (0..<count).map {
            #"{"kind":"k\#($0)","scope":"item","edge":"center","size":{"width":9,"height":9}}"#
        }
        return #"{"view":{"id":"v","layout":{"kind":"flow","supplementaries":["#
            + all.joined(separator: ",") + #"]},"bounds":{"width":50,"height":60}}}"# + "\n"
    }

    /// The lines of a client that has received whole ones.
    private func lines(of client: HTTPClient) throws -> [ServerLine] {
        try client.end.received.split(separator: UInt8(ascii: "\n")).map { line in
            try Array(line).withUnsafeBytes { try ServerLine(line: $0) }
        }
    }

    private func waitForAck(_ number: Int, _ client: HTTPClient, _ world: HTTPWorld) {
        #expect(
            world.run {
                String(decoding: client.end.received.suffix(400), as: UTF8.self)
                    .contains(#"{"ack":{"tx":\#(number),"#)
            })
    }

    @Test func longLinesKeepTheirPlaceAndTakeNoTurn() throws {
        let world = try HTTPWorld { $0.turnSteps = 2048 }
        world.simulation.conditions.pieceBytes = 65_536...65_536
        let client = try join(world, "&viewOnly=true")
        client.send(insert("a", wide) + insert("b") + insert("c", wide) + insert("d"))
        client.send("nonsense\n")
        #expect(world.run { client.receivedText.contains(#""line":5}"#) })
        waitForAck(4, client, world)
        let room = HTTPRoom(client: try world.connect(), name: "list")
        #expect(try room.sections().sections.first?.items.map(\.id.text) == ["a", "b", "c", "d"])
        let turns = try #require(world.server).turns
        #expect(turns.largestTurn <= 2 * 2048, "\(turns)")
    }

    /// However it is cut, a line has so many bytes or too many.
    @Test(arguments: [1000, 60_000, 200_000]) func aLineHasAMostLength(pieceBytes: Int) throws {
        let world = try HTTPWorld()
        world.simulation.conditions.pieceBytes = pieceBytes...pieceBytes
        let client = try join(world, "&viewOnly=true")
        for (line, count) in [131_072, 131_073, 150_000, 190_000].enumerated() {
            let text = #"{"ops":[]}"#
            client.send(text + String(repeating: " ", count: count - text.utf8.count) + "\n")
            if count <= 131_072 {
                waitForAck(1, client, world)
            } else {
                let error = #"a line has at most 131072 bytes here"#
                #expect(
                    world.run {
                        client.receivedText.contains(error)
                            && client.receivedText.contains("\"line\":\(line + 1)}")
                    }, "\(count)")
            }
        }
        client.send(insert("a"))
        waitForAck(2, client, world)
    }

    @Test func longLinesCanBeMistakes() throws {
        let world = try HTTPWorld()
        let client = try join(world, "&viewOnly=true")
        let blanks = String(repeating: " ", count: 20_000)
        client.send(blanks + "\n" + blanks + "nonsense\n")
        #expect(world.run { client.receivedText.contains(#""line":2}"#) })
        client.send(insert("a", #""\#(String(repeating: "k", count: 20_000))":1"#))
        #expect(world.run { client.receivedText.contains(#""line":3}"#) })
        client.send(insert("a"))
        waitForAck(1, client, world)
    }

    @Test(arguments: [UInt64](0..<6)) func linesBehindALongOneWait(seed: UInt64) throws {
        let world = try HTTPWorld(seed: seed)
        let (viewer, writer) = (try join(world), try join(world, "&viewOnly=true"))
        let text = String(repeating: "x", count: 1000)
        writer.send(insert("milk", #""t":"\#(text)""#))
        waitForAck(1, writer, world)
        viewer.send(view(supplementaries: 20))
        for number in 0..<30 {
            let update = #"{"update":{"id":"milk","set":{"n":\#(number)}}}"#
            writer.send(#"{"ops":[\#(update)]}"# + "\n")
            viewer.send(insert("i\(number)"))
            world.simulation.run(forMilliseconds: 20)
        }
        world.simulation.run(forMilliseconds: 2000)
        var (batched, shown, longLines): (Revision, Revision, Int) = (0, 0, 0)
        for line in try lines(of: viewer) {
            switch line {
            case .snapshot(_, let snapshot): batched = snapshot.revision
            case .batch(let batch): batched = batch.to
            case .viewUpdate(let update):
                #expect(update.revision <= batched && update.revision >= shown)
                shown = update.revision
                if update.weight > 8 << 10 { longLines += 1 }
            case .error(let failure): Issue.record("\(failure)")
            default: break
            }
        }
        #expect(batched == 61 && shown == 61 && longLines > 3, "\(longLines)")
    }

    @Test func aViewThatRepeatsTooMuchIsClosed() throws {
        let world = try HTTPWorld()
        let client = try join(world, "&viewOnly=true")
        // As JSON, six times as long.
        let text = String(repeating: #"\u0001"#, count: 18_000)
        client.send(insert("milk", #""a":"\#(text)""#))
        client.send(#"{"ops":[{"update":{"id":"milk","set":{"b":"\#(text)"}}}]}"# + "\n")
        waitForAck(2, client, world)
        client.send(view(supplementaries: 64))
        let count = client.end.received.count
        #expect(world.run { client.end.received.count > count })
        let answer = String(decoding: client.end.received.dropFirst(count), as: UTF8.self)
        #expect(answer.hasPrefix(#"{"error":{"code":"limitExceeded","message":"view v: "#))
        guard answer.hasPrefix(#"{"error""#) else { return }
        // The connection and the name are as good as before.
        client.send(insert("eggs") + view(supplementaries: 3))
        waitForAck(3, client, world)
        #expect(world.run { client.end.received.count > 4 * 2 * 6 * 18_000 })
        world.simulation.run(forMilliseconds: 1000)
        let shown = try lines(of: client).compactMap { line in
            if case .viewUpdate(let update) = line { update.appeared.count } else { nil }
        }
        #expect(shown.reduce(0, +) == 4)
    }

    /// The client is gone before a worker has read or written its line.
    @Test(arguments: [UInt64](1...8)) func clientsGo(seed: UInt64) throws {
        let world = try HTTPWorld(seed: seed)
        let writer = try join(world, "&viewOnly=true")
        writer.send(insert("milk", #""t":"\#(String(repeating: "x", count: 9000))""#))
        waitForAck(1, writer, world)
        for number in 0..<8 {
            let client = try join(world, "&viewOnly=true")
            client.send(number % 2 == 0 ? view(supplementaries: 9) : insert("a\(number)", wide))
            world.simulation.run(forMilliseconds: UInt64(number))
            client.close()
        }
        world.simulation.run(forMilliseconds: 2000)
        writer.send(insert("eggs"))
        waitForAck(2, writer, world)
        let stats = try world.connect().ask("/v1/rooms/list/stats")
        #expect(stats.text.contains(#""members":1,"#))
    }
}
