import ModelSupport
import SeededRandom
import SyncBytes
import SyncIO
import SyncModel
import SyncRoom
import SyncServer
import SyncSim
import SyncWire
import Testing

@Suite("Connections have quotas, and so have what rooms send and store")
struct ConnectionQuotaTests {
    private static let limitBytes = 1 << 20

    private func large(_ name: String, bytes: Int = 100_000) throws -> ListOperation {
        // Random text, which deflating hardly shortens.
        var random = SplitMix64(seed: UInt64(name.utf8.reduce(0) { $0 &* 31 &+ Int($1) }))
        let letters = (0..<bytes).map { _ in
            UInt8.random(in: UInt8(ascii: "0")...UInt8(ascii: "z"), using: &random)
        }
        let text = String(decoding: letters, as: UTF8.self)
        let content = try ItemContent(fields: [Field(name: id("t"), value: .text(text))])
        return .insert(Item(id: id(name), content: content), to: Placement(section: id("main")))
    }

    /// Checks that another client is served.
    private func expectService(_ world: World) throws {
        let (other, room) = try world.join("innocent", "elsewhere")
        other.submit(1, in: room, base: 0, [.insert("a")])
        #expect(world.run { other.revision(room) == 1 })
    }

    // MARK: Connections

    @Test("a connection that makes the server buffer too much gets an error and is closed")
    func frames() throws {
        let world = try World { $0.connections.maximumBytes = ConnectionQuotaTests.limitBytes }
        let client = try world.greet("stranger")
        // The length of a frame of 2.5 MiB.
        let length: [UInt8] = [0x80, 0x80, 0xA0, 0x01]
        client.send(SharedBytes(length + [UInt8](repeating: 0, count: 2 << 20)))
        #expect(world.run { client.isClosed })
        #expect(client.connectionError?.code == .connectionLimit)
        #expect(client.connectionError?.retry == true)
        world.run(forMilliseconds: 1000)
        #expect(try #require(world.server).memory[.connections] < 4096)
        try expectService(world)
    }

    @Test("a client that sends too fast is read later, and loses nothing", arguments: 1...3)
    func unanswered(seed: UInt64) throws {
        let world = try World(seed: seed) {
            $0.connections.maximumBytes = ConnectionQuotaTests.limitBytes
        }
        let (client, room) = try world.join("writer", "room")
        for counter in 1...UInt64(40) {
            client.submit(counter, in: room, base: 0, [try large("i\(counter)")])
        }
        var most = 0
        #expect(
            world.run {
                most = max(most, world.server?.memory[.queues] ?? 0)
                return client.answer(40, in: room) != nil
            })
        #expect((1...40).allSatisfy { client.answer($0, in: room) == .ack(Commit(revision: $0)) })
        #expect(!client.isClosed)
        // Half of the limit and one read; the same bytes are in the queue, in the record and on
        // their way to members, plain and deflated.
        #expect(most < 3 * ConnectionQuotaTests.limitBytes, "\(most) bytes")
        try expectService(world)
    }

    @Test("what a connection has requested counts with everything else of it")
    func reads() throws {
        let world = try World { $0.connections.maximumBytes = ConnectionQuotaTests.limitBytes }
        let (writer, room) = try world.join("writer", "room")
        for counter in 1...UInt64(8) {
            writer.submit(counter, in: room, base: 0, [try large("i\(counter)")])
        }
        #expect(world.run { writer.revision(room) == 8 })
        let name = try #require(RoomName("room"))
        let reader = try world.greet("reader")
        reader.stream?.isReadingPaused = true
        // The first part of each has an item, and the second one some 300 kB.
        for request in 1...6 as ClosedRange<RequestID> {
            reader.send(
                .readSnapshot(
                    ReadSnapshot(request: request, room: name, revision: UInt64(2 + request))))
        }
        world.run(forMilliseconds: 1000)
        reader.stream?.isReadingPaused = false
        #expect(world.run { reader.done.count + reader.errors.count == 6 })
        #expect(reader.done.contains(1) && !reader.errors.isEmpty)
        #expect(reader.errors.values.allSatisfy { $0.code == .limitExceeded })
        reader.send(.readSnapshot(ReadSnapshot(request: 7, room: name)))
        #expect(world.run { reader.done.contains(7) })
    }

    // MARK: Rooms

    @Test("a room with too many bytes in flight to its members accepts edits later")
    func transfers() throws {
        let world = try World {
            $0.room.maximumBytes = ConnectionQuotaTests.limitBytes
            $0.room.horizon = 1
            $0.room.maximumHorizonBytes = 1
        }
        let (writer, room) = try world.join("writer", "room")
        for counter in 1...UInt64(7) {
            writer.submit(counter, in: room, base: 0, [try large("i\(counter)")])
            #expect(world.run { writer.revision(room) == counter })
        }
        // As the horizon advances, each reader is sent a snapshot of its own and takes nothing of
        // it.
        var readers: [RawClient] = []
        var counter: UInt64 = 7
        for number in 1...3 {
            let reader = try world.greet("reader\(number)")
            reader.stream?.isReadingPaused = true
            _ = reader.join("room")
            readers.append(reader)
            world.run(forMilliseconds: 500)
            for _ in 0..<4 {
                counter += 1
                writer.submit(counter, in: room, [.insert("s\(counter)")])
                world.run(forMilliseconds: 500)
            }
        }
        let refused = (8...counter).filter { writer.answer($0, in: room) == .reject(.unavailable) }
        #expect(
            !refused.isEmpty && refused.last == counter,
            "\(String(describing: world.server?.memory))")
        try expectService(world)
        // Once the readers have their snapshots, the writer continues where it was refused.
        for reader in readers { reader.stream?.isReadingPaused = false }
        world.run(forMilliseconds: 5000)
        let first = try #require(refused.first)
        writer.submit(first, in: room, [.insert("again")])
        #expect(world.run { writer.items(room).contains("again") })
    }

    @Test("a room at its disk quota accepts only deletes, also after it is reopened")
    func disk() throws {
        let world = try World {
            $0.storage.maximumRoomDiskBytes = UInt64(ConnectionQuotaTests.limitBytes)
        }
        let (writer, room) = try world.join("writer", "room")
        var taken: UInt64 = 0
        for counter in 1...UInt64(30) {
            writer.submit(counter, in: room, base: 0, [try large("i\(counter)")])
            #expect(world.run { writer.answer(counter, in: room) != nil })
            guard case .ack = writer.answer(counter, in: room) else { break }
            taken = counter
        }
        #expect(taken >= 9 && taken <= 12, "\(taken) transactions of 100 KB were accepted")
        #expect(writer.answer(taken + 1, in: room) == .reject(.limitExceeded))
        #expect(world.log.count(of: "a room is nearly full") == 1)
        writer.submit(taken + 2, in: room, base: taken, [.delete(id("i1"))])
        #expect(world.run { writer.revision(room) == taken + 1 })
        writer.send(.readStats(RoomRequest(request: 9, room: try #require(RoomName("room")))))
        #expect(world.run { writer.stats[9] != nil })
        #expect(writer.stats[9]?.figures[.storedLimit] == UInt64(ConnectionQuotaTests.limitBytes))
        try expectService(world)
        try world.crash()
        let (late, again) = try world.join("late", "room")
        #expect(world.run { late.items(again).count == Int(taken) - 1 })
        late.submit(1, in: again, [.insert("one more")])
        #expect(world.run { late.answer(1, in: again) != nil })
        #expect(late.answer(1, in: again) == .reject(.limitExceeded))
    }
}
