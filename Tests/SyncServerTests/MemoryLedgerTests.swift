import ModelSupport
import SyncModel
import SyncRoom
import SyncServer
import SyncWire
import Testing

@Suite("Memory has a limit")
struct MemoryLedgerTests {
    private static let limitBytes = 4 << 20

    private func large(_ name: String) throws -> ListOperation {
        let text = String(repeating: "x", count: 8_000)
        let content = try ItemContent(fields: [Field(name: id("t"), value: .text(text))])
        return .insert(Item(id: id(name), content: content), to: Placement(section: id("main")))
    }

    /// Fills a room until the server accepts no more.
    ///
    /// - Returns: how many transactions were accepted.
    private func fill(_ client: RawClient, _ room: RoomHandle, _ world: World) throws -> UInt64 {
        for counter in 1...UInt64(600) {
            client.submit(counter, in: room, base: 0, [try large("i\(counter)")])
            #expect(world.run { client.answer(counter, in: room) != nil })
            if client.answer(counter, in: room) == .reject(.unavailable) { return counter - 1 }
        }
        Issue.record("the server accepts everything")
        return 0
    }

    @Test(
        "near the limit only deletes are accepted, and nothing acknowledged is lost",
        arguments: 1...4)
    func limit(seed: UInt64) throws {
        let world = try World(seed: seed) {
            $0.maximumMemoryBytes = MemoryLedgerTests.limitBytes
        }
        let (client, room) = try world.join("filler", "full")
        let (other, _) = try world.join("other", "full")
        // So many connections have frames of the room that none of them reaches its share.
        for number in 0..<8 { _ = try world.join("quiet\(number)", "full") }
        let taken = try fill(client, room, world)
        #expect(taken >= 200 && taken <= 520, "\(taken) transactions of 8 KB were accepted")
        // Later transactions are not accepted before the refused one is sent again.
        client.submit(taken + 2, in: room, base: 0, [.delete(id("i1"))])
        #expect(world.run { client.answer(taken + 2, in: room) != nil })
        #expect(client.answer(taken + 2, in: room) == .reject(.unavailable))
        other.submit(1, in: room, base: 0, [.insert("small")])
        #expect(world.run { other.answer(1, in: room) != nil })
        #expect(other.answer(1, in: room) == .reject(.unavailable))
        let (deleter, _) = try world.join("deleter", "full")
        // The frames it was sent of the room count until it has taken them.
        world.run(forMilliseconds: 1000)
        deleter.submit(1, in: room, base: taken, [.delete(id("i2"))])
        #expect(world.run { deleter.revision(room) == taken + 1 })
        #expect(deleter.items(room).count == Int(taken) - 1)
        // No other room is opened.
        let newcomer = try world.greet("newcomer")
        let request = newcomer.join("another")
        #expect(world.run { newcomer.errors[.request(request)] != nil })
        #expect(newcomer.errors[.request(request)]?.code == .unavailable)
        #expect(world.log.count(of: "memory is short") >= 1)
    }

    @Test(
        "a store in memory counts, and one on disk does not",
        arguments: [true, false])
    func storeInMemory(isInMemory: Bool) throws {
        let world = try World {
            $0.maximumMemoryBytes = MemoryLedgerTests.limitBytes
            $0.storage.isInMemory = isInMemory
        }
        let (client, room) = try world.join("client")
        client.submit(1, in: room, base: 0, [.insert("a"), .insert("b")])
        #expect(world.run { client.revision(room) == 1 })
        world.storage.usedBytes = UInt64(MemoryLedgerTests.limitBytes / 100 * 98)
        client.submit(2, in: room, base: 1, [.delete(id("a"))])
        #expect(world.run { client.revision(room) == 2 })
        world.run(forMilliseconds: 100)
        let held = try #require(world.server?.memory).total
        #expect((held >= Int(world.storage.usedBytes)) == isInMemory)
        client.submit(3, in: room, base: 2, [.insert("c")])
        #expect(world.run { client.answer(3, in: room) != nil })
        #expect((client.answer(3, in: room) == .reject(.unavailable)) == isInMemory)
        client.submit(4, in: room, base: 2, [.delete(id("b"))])
        #expect(world.run { client.answer(4, in: room) != nil })
    }

    @Test("a stored room that never fits is not opened")
    func stored() throws {
        let world = try World(seed: 1)
        let (client, room) = try world.join("filler", "full")
        for counter in 1...UInt64(20) {
            client.submit(counter, in: room, base: 0, [try large("i\(counter)")])
        }
        #expect(world.run { client.answer(20, in: room) != nil })
        try world.crash()
        world.configuration.maximumMemoryBytes = 3 << 18
        try world.crash()
        let late = try world.greet("late")
        let request = late.join("full")
        #expect(world.run { late.errors[.request(request)] != nil })
        #expect(late.errors[.request(request)]?.code == .limitExceeded)
        let (other, _) = try world.join("other", "small")
        #expect(other.isConnected)
    }
}
