import SyncBytes
import SyncIO
import SyncModel
import SyncServer
import SyncSim
import SyncWire
import Testing

/// Connections that begin and do not finish, that take nothing, and that end.
@Suite struct PatienceTests {
    /// A frame of `count` bytes of a message that no server knows.
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

    /// Frame after frame may come in pieces; only one that is not finished is a fault.
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

    /// It stays closed to its answers, so reading from it is put off; it goes nevertheless.
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

    @Test func oneTooManyIsToldAndSeesTheEndAtOnce() throws {
        let world = try World { $0.maximumConnections = 1 }
        _ = try world.greet()
        let client = try world.connect()
        #expect(world.run(limitMilliseconds: 100) { client.isClosed })
        #expect(client.connectionError?.code == .tooManyConnections)
    }
}
