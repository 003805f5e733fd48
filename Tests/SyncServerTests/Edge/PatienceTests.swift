import ModelSupport
import SyncBytes
import SyncIO
import SyncModel
import SyncRoom
import SyncServer
import SyncSim
import SyncWire
import Testing

/// Connections that begin and do not finish, that read nothing, and that end.
@Suite struct PatienceTests {
    /// A frame of `count` bytes with a message that no server knows.
    private static func strangeFrame(bytes count: Int) -> [UInt8] {
        var writer = ByteWriter()
        [UInt8](repeating: 0, count: count).withUnsafeBytes { writer.write(field: 90, bytes: $0) }
        let body = writer.makeArray()
        var length = ByteWriter()
        length.write(varint: UInt64(body.count))
        return length.makeArray() + body
    }

    @Test func aFrameIsFinishedInTime() throws {
        let world = try World { $0.connections.heartbeatMilliseconds = 60_000 }
        let client = try world.greet()
        let frame = PatienceTests.strangeFrame(bytes: 4000)
        client.isAlive = false
        client.send(SharedBytes(Array(frame[..<3])))
        for byte in frame[3..<12] {
            world.run(forMilliseconds: 3000)
            #expect(!client.isClosed)
            client.send(SharedBytes([byte]))
        }
        world.run(forMilliseconds: 5000)
        #expect(client.isClosed)
        #expect(client.connectionError?.code == .frameTimeout)
    }

    /// Any number of frames may come in pieces; only an unfinished frame is an error.
    @Test func theClockBeginsWithEachFrame() throws {
        let world = try World { $0.connections.heartbeatMilliseconds = 60_000 }
        let client = try world.greet()
        client.isAlive = false
        let frame = PatienceTests.strangeFrame(bytes: 100)
        client.send(SharedBytes(Array(frame[..<50])))
        for _ in 0..<10 {
            world.run(forMilliseconds: 20_000)
            client.send(SharedBytes(Array(frame[50...] + frame[..<50])))
        }
        world.run(forMilliseconds: 1000)
        #expect(!client.isClosed)
    }

    @Test func aSlowLineHasTheTimeItNeeds() throws {
        let world = try World()
        let client = try world.greet()
        client.isAlive = false
        var rest = PatienceTests.strangeFrame(bytes: 3 << 20)[...]
        while !rest.isEmpty {
            client.send(SharedBytes(Array(rest.prefix(40 << 10))))
            rest = rest.dropFirst(40 << 10)
            world.run(forMilliseconds: 1000)
        }
        #expect(world.run(limitMilliseconds: 1000) { client.connectionError != nil })
        #expect(client.connectionError?.code == .unsupported)
        #expect(!client.isClosed)
    }

    /// The client never reads its answers, so the server stops reading from it. It is closed
    /// nevertheless.
    @Test(arguments: [false, true])
    func whoTakesNothingIsClosed(readsNowAndThen: Bool) throws {
        let world = try World()
        world.simulation.conditions.socketBufferBytes = 4096
        let client = try world.greet()
        let stream = try #require(client.stream)
        stream.isReadingPaused = true
        let submit = Submit(
            room: 7, counter: 1,
            transaction: try PackedTransaction(ListTransaction(base: 0, operations: [])))
        for _ in 0..<20_000 { client.send(.submit(submit)) }
        let connection = try #require(world.simulation.network.connections.first)
        world.run(forMilliseconds: 40_000)
        #expect(connection.isOpen)
        #expect(world.simulation.network.largestServerBacklogBytes < 1 << 20)
        for _ in 0..<20 {
            if readsNowAndThen {
                stream.isReadingPaused = false
                world.run(forMilliseconds: 5)
                stream.isReadingPaused = true
            }
            world.run(forMilliseconds: 10_000)
        }
        #expect(connection.isOpen == readsNowAndThen)
    }

    /// Several writes, of which each takes longer than one may stand still.
    @Test func whoTakesALittleAllTheTimeGetsAll() throws {
        let world = try World {
            $0.turnSteps = 32_768
            $0.connections.heartbeatMilliseconds = 500
            $0.connections.missedHeartbeats = 2
        }
        world.simulation.conditions.socketBufferBytes = 4096
        let (client, room) = try world.join("c")
        let text = Value.text(
            String(decoding: (0..<200_000).map { UInt8(32 + $0 * $0 % 89) }, as: UTF8.self))
        for counter in 1...4 as ClosedRange<UInt64> {
            let set = [Field(name: id("text"), value: text)]
            client.submit(
                counter, in: room,
                [.insert("i\(counter)"), .update(id("i\(counter)"), ItemPatch(set: set))])
            #expect(world.run { client.revision(room) == counter })
        }
        let slow = try world.greet("slow", features: [])
        _ = slow.join("room")
        for _ in 0..<800 where !slow.isClosed {
            slow.stream?.isReadingPaused = true
            world.run(forMilliseconds: 45)
            slow.stream?.isReadingPaused = false
            slow.send(.heartbeat(Heartbeat()))
            world.run(forMilliseconds: 5)
        }
        #expect(!slow.isClosed)
        #expect(slow.revision(room) == 4)
    }

    /// The time for a frame does not run while its connection waits for its address's rate.
    @Test func aFrameHasItsTimeBehindAPause() throws {
        let world = try World {
            $0.connections.heartbeatMilliseconds = 120_000
            $0.connections.frameTimeoutMilliseconds = 10_000
            $0.addresses.bytes = Rate(perSecond: 1000)
        }
        let client = try world.greet("c", from: "10.0.0.1")
        client.isAlive = false
        let frame = PatienceTests.strangeFrame(bytes: 30_000)
        client.send(SharedBytes(Array(frame[..<21_000])))
        // It pays for that for 20 seconds, and then has ten seconds for the rest.
        world.run(forMilliseconds: 24_000)
        #expect(!client.isClosed)
        client.send(SharedBytes(Array(frame[21_000...])))
        #expect(world.run(limitMilliseconds: 30_000) { client.connectionError != nil })
        #expect(client.connectionError?.code == .unsupported)
        #expect(!client.isClosed)
    }

    @Test func theEndIsSeenAtOnce() throws {
        let world = try World()
        let client = try world.greet()
        client.send(.hello(Hello()))
        #expect(world.run(limitMilliseconds: 100) { client.isClosed })
        #expect(client.connectionError?.code == .badMessage)
        #expect(
            world.run(limitMilliseconds: 100) { world.simulation.network.connections.isEmpty })
    }

    @Test func whoDoesNotCloseIsNotWaitedForLong() throws {
        let world = try World()
        let client = try world.greet()
        client.stream?.isReadingPaused = true
        client.send(.hello(Hello()))
        let connection = try #require(world.simulation.network.connections.first)
        world.run(forMilliseconds: 500)
        #expect(connection.isOpen)
        world.run(forMilliseconds: 1000)
        #expect(!connection.isOpen)
    }

    @Test func oneTooManyGetsAnErrorAndTheEndAtOnce() throws {
        let world = try World { $0.maximumConnections = 1 }
        _ = try world.greet()
        let client = try world.connect()
        #expect(world.run(limitMilliseconds: 100) { client.isClosed })
        #expect(client.connectionError?.code == .tooManyConnections)
    }
}
