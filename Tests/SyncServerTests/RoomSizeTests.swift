import ModelSupport
import RoomSupport
import SyncBytes
import SyncModel
import SyncStore
import SyncWire
import Testing

@testable import SyncServer

/// A stored room may come from a stranger. If it does not fit into the server's memory, nobody else
/// is affected.
@Suite("Stored rooms that are too large")
struct RoomSizeTests {
    private static let memory = 8 << 20

    /// A world with a room that nobody uses, and a forged one.
    ///
    /// - Parameter usedItems: how many items of 100,000 bytes a room in use has.
    private func world(
        _ body: [UInt8], revision: UInt64 = 0, usedItems: UInt64 = 0
    ) throws -> World {
        let world = try World { $0.maximumMemoryBytes = RoomSizeTests.memory }
        if usedItems > 0 { try use(usedItems, in: world) }
        let (client, room) = try world.join("guest", "idle")
        client.submit(1, in: room, base: 0, [.insert("a")])
        #expect(world.run { client.revision(room) == 1 })
        client.close()
        world.run(forMilliseconds: 100)
        let record = LogRecord(
            sequence: 1, firstRevision: 1, lastRevision: revision, wallClockMilliseconds: 1,
            body: SharedBytes([0]))
        #expect(
            try world.storage.append([PendingAppend(record: record, room: roomName("forged"))]) == [
                nil
            ])
        let snapshot = StoredSnapshot(
            sequence: 1, revision: revision, trustedMilliseconds: 1, body: SharedBytes(body))
        while try !world.storage.saveSnapshot(snapshot, of: roomName("forged")) {}
        return world
    }

    private func use(_ items: UInt64, in world: World) throws {
        let (client, room) = try world.join("busy", "busy")
        let text = String(repeating: "x", count: 100_000)
        for number in 1...items {
            let content = try ItemContent(fields: [Field(name: "t", value: .text(text))])
            let item = Item(id: id("i\(number)"), content: content)
            client.submit(
                number, in: room, base: 0, [.insert(item, to: Placement(section: "main"))])
            #expect(world.run { client.revision(room) == number })
        }
    }

    /// Joins the forged room, and checks that the other one stays open.
    private func joinForged(_ world: World) throws -> ErrorCode? {
        let client = try world.greet("curious")
        let request = client.join("forged")
        #expect(world.run { client.errors[.request(request)] != nil })
        world.run(forMilliseconds: 100)
        _ = try world.join(client, "idle")
        #expect(world.storage.openedRooms.filter { $0 == roomName("idle") }.count == 1)
        let used = try #require(world.server).memory.total
        #expect(used < RoomSizeTests.memory * 3 / 4, "\(used) bytes are still charged")
        return client.errors[.request(request)]?.code
    }

    /// The last one fits as it is stored, but not as it is reserved.
    @Test("that can never fit are over a limit", arguments: [memory + 1, memory / 2, memory / 6])
    func never(bytes: Int) throws {
        let zeros = [UInt8](repeating: 0, count: bytes)
        #expect(try joinForged(try world(zeros)) == .limitExceeded)
    }

    @Test("that need more than unused rooms could free are unavailable")
    func unlikely() throws {
        // It needs more than the room in use leaves.
        let zeros = [UInt8](repeating: 0, count: RoomSizeTests.memory / 8)
        #expect(try joinForged(try world(zeros, usedItems: 30)) == .unavailable)
    }

    /// So many revisions that touched nothing take up to 32 MiB of a journal, or 6 MiB. That would
    /// fit, but other rooms would be closed for it.
    @Test("that grow beyond their bytes are unavailable", arguments: [2 << 20, 400_000])
    func growing(revision: UInt64) throws {
        var engine = ByteWriter()
        for number in [2, revision, 0, 1, 0, 0, 0, 0, 0] { engine.write(varint: number) }
        let bytes = engine.makeArray()
        var image = ByteWriter()
        for number in [4, 1, 0, UInt64(bytes.count)] { image.write(varint: number) }
        image.write(contentsOf: bytes)
        image.write(varint: 0)
        let body = image.makeArray()
        #expect(body.count < 100)
        #expect(try joinForged(try world(body, revision: revision)) == .unavailable)
    }

    @Test("are read when there is memory for them")
    func fitting() throws {
        let zeros = [UInt8](repeating: 0, count: RoomSizeTests.memory / 16)
        #expect(try joinForged(try world(zeros)) == .storeCorrupt)
    }
}
