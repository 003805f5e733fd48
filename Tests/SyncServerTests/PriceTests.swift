import ModelSupport
import SyncBytes
import SyncModel
import SyncRoom
import SyncServer
import SyncWire
import Testing

/// Messages of strangers are charged with what they cost the server.
@Suite struct PriceTests {
    private static let mallory = "10.0.0.1"

    /// A frame with its length. Its message is unknown to every server and inflates to `count`
    /// bytes.
    private static func deflated(_ count: Int) throws -> SharedBytes {
        var inner = ByteWriter()
        let zeros = [UInt8](repeating: 0, count: count - 6)
        zeros.withUnsafeBytes { inner.write(field: 90, bytes: $0) }
        var output = [UInt8](repeating: 0, count: count)
        let length = output.withUnsafeMutableBytes {
            Deflater().deflate(inner.bytes, into: $0)
        }
        let body = output.prefix(try #require(length))
        var frame = ByteWriter()
        body.withUnsafeBytes { frame.write(field: 1, bytes: $0) }
        var whole = ByteWriter()
        whole.write(varint: UInt64(frame.count))
        whole.write(contentsOf: frame.bytes)
        return SharedBytes(whole.makeArray())
    }

    private func quickWorld() throws -> World {
        try World {
            $0.turnSteps = 16_384
            $0.threads = 1
        }
    }

    @Test func framesThatCanNotBeInflatedCostATurnWhatOthersDo() throws {
        let world = try quickWorld()
        let limit = WireLimits().clientFrameBytes
        let stranger = try world.greet("m")
        #expect(try #require(world.server?.turns).largestTurn < 1000)
        stranger.send(try Self.deflated(limit + 100))
        #expect(world.run { stranger.isClosed })
        #expect(stranger.connectionError?.code == .frameTooLarge)
        #expect(try #require(world.server?.turns).largestTurn >= limit / 128)
    }

    /// Deflated frames are charged to their address at their inflated size, even those that end
    /// their connection.
    @Test func deflatedBytesAreReadAtARate() throws {
        let world = try World { $0.addresses.bytes = Rate(perSecond: 1_000_000) }
        let clients = try (0..<3).map { try world.greet("m\($0)", from: Self.mallory) }
        let bomb = try Self.deflated(WireLimits().clientFrameBytes + 100)
        clients[0].send(bomb)
        #expect(world.run(limitMilliseconds: 2000) { clients[0].connectionError != nil })
        // The frame is worth more than four seconds, of which one second may come at once.
        let frame = try Self.deflated(2_000_000)
        clients[1].send(frame)
        #expect(!world.run(limitMilliseconds: 2500) { clients[1].connectionError != nil })
        #expect(world.run(limitMilliseconds: 2500) { clients[1].connectionError != nil })
        clients[2].send(frame)
        #expect(!world.run(limitMilliseconds: 700) { clients[2].connectionError != nil })
        #expect(world.run(limitMilliseconds: 2500) { clients[2].connectionError != nil })
    }

    /// Each large frame takes a turn, and a client with a small frame waits for only a few of them.
    @Test(arguments: 1...3 as ClosedRange<UInt64>)
    func smallFramesComeBeforeLargeOnes(seed: UInt64) throws {
        let world = try World(seed: seed) {
            $0.turnSteps = 1024
            $0.threads = 1
        }
        let strangers = try (0..<120).map { try world.greet("s\($0)") }
        let (innocent, room) = try world.join("innocent")
        let frame = try Self.deflated(200_000)
        for stranger in strangers { for _ in 0..<3 { stranger.send(frame) } }
        let start = try #require(world.server?.turns).fullTurns
        #expect(world.run { (world.server?.turns.fullTurns ?? 0) > start + 10 })
        let before = try #require(world.server?.turns)
        innocent.submit(1, in: room, [.insert("a")])
        #expect(world.run { innocent.answer(1, in: room) != nil })
        let after = try #require(world.server?.turns)
        #expect(strangers.contains { $0.connectionError == nil }, "the large ones were done first")
        #expect(after.fullTurns - before.fullTurns < 100, "it waited from \(before) to \(after)")
        #expect(world.run { strangers.allSatisfy { $0.connectionError != nil } })
    }

    @Test func messagesOfAnyKindAreReadAtARate() throws {
        let world = try World { $0.addresses.messages = Rate(perSecond: 100) }
        let stranger = try world.greet("m", from: Self.mallory)
        for _ in 0..<50 {
            for _ in 0..<9 { stranger.send(.heartbeat(Heartbeat())) }
            stranger.send(.leave(Leave(request: 7, room: 4711)))
        }
        world.run(forMilliseconds: 100)
        let name = try #require(RoomName("room"))
        stranger.send(.readStats(RoomRequest(request: 9, room: name)))
        // 500 messages, of which a hundred may come at once.
        let isAnswered = { stranger.errors[.request(9)] != nil || stranger.stats[9] != nil }
        #expect(!world.run(limitMilliseconds: 3000, until: isAnswered))
        #expect(world.run(limitMilliseconds: 4000, until: isAnswered))
    }

    @Test func requestsCostATurnMoreThanTransactions() throws {
        let world = try quickWorld()
        let (client, _) = try world.join("anna")
        let name = try #require(RoomName("room"))
        #expect(try #require(world.server?.turns).largestTurn < 500)
        var requests: [UInt8] = []
        for request in 1...60 as ClosedRange<RequestID> {
            let message = ClientMessage.readStats(RoomRequest(request: 100 + request, room: name))
            requests += MessageEncoder().encode(message).plain.array
        }
        client.send(SharedBytes(requests))
        #expect(world.run { client.stats.count == 60 })
        #expect(try #require(world.server?.turns).largestTurn >= 500)
    }

    /// Unused names are endless, so their requests must need no place for a room.
    @Test func roomsThatAreNotThereAreDeletedBesideTheOpenOnes() throws {
        let world = try World { $0.maximumRooms = 1 }
        let (client, room) = try world.join("anna")
        for request in 100..<160 as Range<RequestID> {
            let name = try #require(RoomName("none \(request)"))
            client.send(.deleteRoom(RoomRequest(request: request, room: name)))
        }
        #expect(world.run { (100..<160).allSatisfy { client.errors[.request($0)] != nil } })
        let codes = Set((100..<160).compactMap { client.errors[.request($0)]?.code })
        #expect(codes == [.roomNotFound])
        client.submit(1, in: room, [.insert("a")])
        #expect(world.run { client.answer(1, in: room) != nil })
        // A closed room can be deleted although no more rooms may be open.
        client.send(.leave(Leave(request: 200, room: room)))
        world.run(forMilliseconds: 70_000)
        let other = try world.join("berta", "other").client
        let name = try #require(RoomName("room"))
        other.send(.deleteRoom(RoomRequest(request: 201, room: name)))
        #expect(world.run { other.done.contains(201) })
        other.send(.deleteRoom(RoomRequest(request: 202, room: name)))
        #expect(world.run { other.errors[.request(202)]?.code == .roomNotFound })
    }

    /// A read of large content is encoded in many turns, and reads nothing from the log.
    @Test func readsAreWeighedByContent() throws {
        let world = try World {
            $0.turnSteps = 512
            $0.threads = 1
        }
        let (anna, room) = try world.join("anna")
        let text = Value.text(String(repeating: "a", count: 100_000))
        let content = try ItemContent(fields: [Field(name: id("text"), value: text)])
        func read(_ request: RequestID) throws -> Int {
            let name = try #require(RoomName("room"))
            let before = try #require(world.server).turns.turns
            anna.send(.readSnapshot(ReadSnapshot(request: request, room: name)))
            #expect(world.run { anna.snapshots[request] == anna.replicas[room]?.snapshot })
            return try #require(world.server).turns.turns - before
        }
        anna.submit(1, in: room, [.insert("a")])
        #expect(world.run { anna.revision(room) == 1 })
        let before = world.storage.logReadCount
        let small = try read(101)
        let operations = (0..<20).map { index in
            ListOperation.insert(
                Item(id: id("n\(index)"), content: content), to: Placement(section: id("main")))
        }
        anna.submit(2, in: room, operations)
        #expect(world.run { anna.revision(room) == 2 })
        world.run(forMilliseconds: 1000)
        let large = try read(102)
        #expect(large >= small + 8)
        #expect(world.storage.logReadCount == before)
    }
}
