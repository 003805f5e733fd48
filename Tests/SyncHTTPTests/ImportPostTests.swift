import SeededRandom
import SyncJSON
import SyncModel
import Testing

@testable import SyncHTTP

/// Rooms that are filled from a snapshot.
@Suite struct ImportPostTests {
    /// A snapshot with so many items in a section.
    private func snapshot(_ items: Int, section: String = "main", padding: Int = 0) -> String {
        let text = String(repeating: "x", count: padding)
        let list = (0..<items).map { #"{"id":"i\#($0)","fields":{"t":"\#(text)"}}"# }
        return #"{"sections":[{"id":"\#(section)","items":[\#(list.joined(separator: ","))]}]}"#
    }

    private func items(in room: HTTPRoom) throws -> Int {
        try room.sections().sections.reduce(0) { $0 + $1.items.count }
    }

    @Test(arguments: [UInt64](1...20)) func whatIsExportedIsImported(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let world = try HTTPWorld(seed: seed) {
            if random.chance(50) { $0.wire.transactionOperations = 10 + random.below(20) }
        }
        let client = try world.connect()
        let (old, new) = (
            HTTPRoom(client: client, name: "old"), HTTPRoom(client: client, name: "new")
        )
        for _ in 0..<3 { try old.fill(using: &random, ofAtMost: 20) }
        let text = try client.ask(old.path).text
        let answer = try client.ask("POST", new.path + "/import", body: text)
        #expect(answer.status == 200, "\(answer.text)")
        let count = try items(in: old)
        #expect(answer.text.hasPrefix(#"{"import":{"items":\#(count),"skipped":0,"revision":"#))
        #expect(try new.sections().sections == old.sections().sections, "seed \(seed)")
        #expect(try client.ask(new.path + "/stats").text.contains(#""members":0,"#))
    }

    @Test func aRoomWithContentIsKept() throws {
        let room = HTTPRoom(client: try HTTPWorld().connect(), name: "list")
        try room.post([
            #"{"insert":{"item":{"id":"i1","kind":"own"},"to":{"section":"main"}}}"#
        ])
        let refused = try room.client.ask("POST", room.path + "/import", body: snapshot(3))
        #expect(refused.status == 409)
        #expect(refused.text.contains(#""code":"notEmpty""#))
        #expect(try items(in: room) == 1)
        let added = try room.client.ask(
            "POST", room.path + "/import?append=true", body: snapshot(3))
        #expect(added.status == 200, "\(added.text)")
        #expect(added.text.hasPrefix(#"{"import":{"items":2,"skipped":1,"#))
        let all = try room.sections().sections[0].items
        #expect(all.map(\.id.text) == ["i1", "i0", "i2"] && all[0].content.kind?.text == "own")
    }

    /// An id that comes twice ends an import, also into a room that has it already. What was
    /// committed before that is counted.
    @Test(arguments: [
        (
            #""snapshot":{S}"#, #"{"id":"a","items":[{"id":"x"},{"id":"y"},{"id":"x"}]}"#,
            "snapshot.sections[0].items[2].id"
        ),
        (
            #"S"#, #"{"id":"a","items":[{"id":"x"}]},{"id":"b","items":[{"id":"y"},{"id":"x"}]}"#,
            "sections[1].items[1].id"
        ),
        (
            #"S"#,
            #"{"id":"Doing","fields":{"c":"red"},"items":[{"id":"a"}]},{"id":"Doing","items":[]}"#,
            "sections[1].id"
        ),
        (#""snapshot":{S}"#, #"{"id":"main"},{"id":"main"}"#, "snapshot.sections[1].id"),
    ])
    func anIDMayNotComeTwice(frame: String, sections: String, place: String) throws {
        let room = HTTPRoom(
            client: try HTTPWorld { $0.wire.transactionOperations = 1 }.connect(), name: "list")
        let body = "{" + frame.replacing("S", with: #""sections":[\#(sections)]"#) + "}"
        for query in ["", "?append=true"] {
            let answer = try room.client.ask("POST", room.path + "/import\(query)", body: body)
            #expect(answer.status == 422, "\(answer.text)")
            #expect(answer.text.contains(#""code":"repeated","message":"\#(place): "#))
            let count = (try? items(in: room)) ?? 0
            let (new, old) = query.isEmpty ? (count, 0) : (0, count)
            #expect(answer.text.contains(#""import":{"items":\#(new),"skipped":\#(old),"#))
        }
    }

    /// Members of a section may come behind its items. A section that the room had stays as it is.
    @Test func membersMayComeBehindTheItems() throws {
        let room = HTTPRoom(client: try HTTPWorld().connect(), name: "list")
        func body(_ color: String, _ ids: String...) -> String {
            let sections = ids.map {
                #"{"id":"\#($0)","items":[{"id":"\#($0)-\#(color)"}],"fields":{"c":"\#(color)"}}"#
            }
            return #"{"sections":[\#(sections.joined(separator: ","))]}"#
        }
        func colors() throws -> [String] {
            try room.sections().sections.map { state in
                let value = state.section.content.fields.first?.value
                return "\(state.section.id) \(value == .text("red") ? "red" : "blue")"
                    + " \(state.items.count)"
            }
        }
        let new = try room.client.ask(
            "POST", room.path + "/import", body: body("red", "main", "b"))
        #expect(new.status == 200, "\(new.text)")
        #expect(try colors() == ["main red 1", "b red 1"])
        let added = try room.client.ask(
            "POST", room.path + "/import?append=true", body: body("blue", "b", "c"))
        #expect(added.status == 200, "\(added.text)")
        #expect(try colors() == ["main red 1", "b red 2", "c blue 1"])
    }

    /// What the server refuses for one part is said with that part's place.
    @Test func refusalsHaveTheirPlace() throws {
        let world = try HTTPWorld { $0.wire.contentBytes = 1000 }
        let room = HTTPRoom(client: try world.connect(), name: "list")
        let long = String(repeating: "x", count: 1000)
        let (small, large) = (#"{"id":"x"}"#, #"{"id":"y","fields":{"t":"\#(long)"}}"#)
        for (body, place) in [
            (#"{"sections":[{"id":"a","items":[\#(small),\#(large)]}]}"#, "sections[0].items[1]"),
            (#"{"sections":[{"id":"a"},{"id":"b","fields":{"t":"\#(long)"}}]}"#, "sections[1]"),
            (#"{"sections":[{"id":"a","items":[],"fields":{"t":"\#(long)"}}]}"#, "sections[0]"),
            (#"{"sections":[{"id":"main","fields":{"t":"\#(long)"}}]}"#, "sections[0]"),
        ] {
            let answer = try room.client.ask("POST", room.path + "/import", body: body)
            #expect(answer.status == 422)
            #expect(
                answer.text.contains(#""code":"limitExceeded","message":"\#(place): "#),
                "\(answer.text)")
        }
    }

    /// What is committed before a mistake stays, and the answer says how much that is.
    @Test(arguments: [UInt64](1...10)) func itSaysWhatWasCommitted(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let world = try HTTPWorld(seed: seed) { $0.wire.transactionOperations = 100 }
        let room = HTTPRoom(client: try world.connect(), name: "list")
        var body = snapshot(3000, padding: 60)
        let place = random.below(body.utf8.count - 2)
        body = String(decoding: body.utf8.prefix(place), as: UTF8.self) + "}}"
        let answer = try room.client.ask("POST", room.path + "/import", body: body)
        #expect(answer.status == 400, "\(answer.text)")
        #expect(answer.text.hasPrefix(#"{"error":{"code":"malformed","message":""#))
        let stats = try room.client.ask(room.path + "/stats").text
        let count = stats.firstMatch(of: #/"items":(\d+),/#)?.output.1
        #expect(
            answer.text.contains(#""import":{"items":\#(count ?? "0"),"skipped":0,"#),
            "\(answer.text) \(stats)")
    }

    @Test func aFullRoomTakesNoMore() throws {
        let world = try HTTPWorld { $0.room.maximumItems = 2500 }
        let room = HTTPRoom(client: try world.connect(), name: "list")
        let answer = try room.client.ask("POST", room.path + "/import", body: snapshot(5000))
        #expect(answer.status == 422, "\(answer.text)")
        #expect(answer.text.contains(#""code":"limitExceeded""#))
        #expect(answer.text.contains(#""import":{"items":2000,"skipped":0,"#), "\(answer.text)")
        #expect(try items(in: room) == 2000)
    }

    @Test func anItemWithTooMuchContentIsRefused() throws {
        let world = try HTTPWorld { $0.wire.contentBytes = 1000 }
        let room = HTTPRoom(client: try world.connect(), name: "list")
        let answer = try room.client.ask(
            "POST", room.path + "/import", body: snapshot(3, padding: 990))
        #expect(answer.status == 422, "\(answer.text)")
        #expect(answer.text.contains("of 1000 bytes") && answer.text.contains(#""items":0,"#))
    }

    @Test(arguments: [
        "", "[]", "{", "{}", #"{"sections":{}}"#, #"{"ops":[]}"#,
        String(repeating: "[", count: 100_000), String(repeating: #"{"a":"#, count: 50_000),
        #"{"sections":[{"items":[]}]}"#, #"{"sections":[{"id":"a","items":[{"id":""}]}]}"#,
        #"{"sections":[]} {}"#,
    ])
    func mistakesHaveReasons(body: String) throws {
        let client = try HTTPWorld().connect()
        let answer = try client.ask("POST", "/v1/rooms/list/import", body: body)
        #expect(answer.status == 400, "\(answer.text.prefix(300))")
        #expect(answer.text.contains(#""import":{"items":0,"skipped":0,"#))
    }

    /// One item may be as long as a transaction, and no longer.
    @Test func anEndlessItemIsRefused() throws {
        let world = try HTTPWorld { $0.wire.transactionBytes = 300_000 }
        let client = try world.connect()
        let start = #"{"sections":[{"id":"a","items":[{"id":"x","fields":{"t":""#
        let answer = try client.ask(
            "POST", "/v1/rooms/list/import",
            body: start + String(repeating: "x", count: 1_000_000))
        #expect(answer.status == 400)
        #expect(answer.text.contains("is longer than 300000 bytes"), "\(answer.text)")
        #expect(world.run { client.isClosed })
    }

    /// The server reads only as much as it can commit, so the rest stays with the client.
    @Test(arguments: 0..<3) func aSlowStoreMakesTheClientWait(seed: UInt64) throws {
        let world = try HTTPWorld(seed: seed) { $0.wire.transactionBytes = 64 << 10 }
        let client = try world.connect()
        let other = try world.connect()
        let room = HTTPRoom(client: other, name: "list")
        #expect(try other.ask("PUT", room.path).status == 201)
        world.simulation.conditions.jobMicroseconds = 500_000...900_000
        let body = snapshot(4000, padding: 1000)
        client.send(
            "POST \(room.path)/import HTTP/1.1\r\nHost: s\r\nContent-Length: "
                + "\(body.utf8.count)\r\n\r\n" + body)
        var most = 0
        for _ in 0..<100 where client.received.isEmpty {
            _ = world.run(limitMilliseconds: 300) { !client.received.isEmpty }
            let taken = body.utf8.count - (client.end.stream?.unsentBytes ?? 0)
            let stats = try other.ask(room.path + "/stats").text
            let items = stats.firstMatch(of: #/"items":(\d+),/#).flatMap { Int($0.output.1) }
            most = max(most, taken - (items ?? 0) * 1000)
        }
        #expect(most < 1 << 20, "\(most) bytes were ahead of the store")
        let answer = try client.takeAnswer(limitMilliseconds: 600_000)
        #expect(answer.status == 200, "\(answer.text)")
        #expect(answer.text.hasPrefix(#"{"import":{"items":4000,"#))
    }

    /// An upload may take long, as long as it comes.
    @Test func aLongUploadIsNoSlowRequest() throws {
        let world = try HTTPWorld()
        let client = try world.connect()
        let body = snapshot(1500, padding: 1000)
        let pieces = stride(from: 0, to: body.utf8.count, by: 40_000).map {
            String(decoding: body.utf8.dropFirst($0).prefix(40_000), as: UTF8.self)
        }
        client.send(
            "POST /v1/rooms/list/import HTTP/1.1\r\nHost: s\r\nContent-Length: "
                + "\(body.utf8.count)\r\n\r\n")
        for piece in pieces {
            client.send(piece)
            _ = world.run(limitMilliseconds: 1000) { client.isClosed }
        }
        #expect(pieces.count > 30)
        let answer = try client.takeAnswer()
        #expect(answer.status == 200, "\(answer.text)")
    }

    /// Half a body, and nothing behind it: what is committed stays, and nobody is disturbed.
    @Test(arguments: 0..<6) func aClientMayVanish(seed: UInt64) throws {
        let world = try HTTPWorld(seed: seed)
        let client = try world.connect()
        let body = snapshot(4000, padding: 100)
        client.send(
            "POST /v1/rooms/list/import HTTP/1.1\r\nHost: s\r\nContent-Length: "
                + "\(body.utf8.count)\r\n\r\n" + body.prefix(body.utf8.count / 2))
        if seed % 2 == 0 {
            _ = world.run(limitMilliseconds: 50 * (seed + 1)) { false }
            client.close()
        } else {
            let answer = try client.takeAnswer()
            #expect(answer.status == 408, "\(answer.text)")
            #expect(world.run { client.isClosed })
        }
        let other = try world.connect()
        #expect(
            world.run {
                let stats = try? other.ask("/v1/rooms/list/stats")
                return stats?.status == 200 && stats?.text.contains(#""members":0,"#) == true
            })
        let again = try other.ask("POST", "/v1/rooms/list/import?append=true", body: body)
        #expect(again.status == 200, "\(again.text)")
        #expect(try items(in: HTTPRoom(client: other, name: "list")) == 4000)
    }
}
