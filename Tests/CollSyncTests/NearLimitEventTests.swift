import CollSync
import CollSyncUV
import ServerSupport
import SyncModel
import Testing

/// A quota that is nearly used up, with the public interface, over real sockets.
@Suite(.timeLimit(.minutes(30))) struct NearLimitEventTests {
    private func insert(_ numbers: ClosedRange<Int>) throws -> [ListOperation] {
        try numbers.map { number in
            let item = Item(id: try Identifier("i\(number)"))
            return .insert(item, to: Placement(section: Identifier("main")))
        }
    }

    /// The next warning of a stream.
    private func warning(_ events: inout AsyncStream<RoomEvent>.Iterator) async -> QuotaUse? {
        while let event = await events.next() {
            if case .nearLimit(let use) = event { return use }
        }
        return nil
    }

    /// The first warning that a new reader gets.
    private func warning(in room: CollectionRoom) async -> QuotaUse? {
        var events = room.events.makeAsyncIterator()
        return await warning(&events)
    }

    @Test func isAnEventOfTheRoom() async throws {
        let server = try await LocalServer.start { $0.room.maximumItems = 10 }
        let client = try await CollectionClient.connect(to: server.address)
        let room = try await client.join("room")
        var events = room.events.makeAsyncIterator()
        try await room.submit(try insert(1...8))
        let first = QuotaUse(.items, used: 8, limit: 10)
        #expect(await warning(&events) == first)
        #expect(!first.quota.isOfAccount)
        try await room.submit(try (1...3).map { .delete(try Identifier("i\($0)")) })
        try await room.submit(try insert(9...12))
        let second = QuotaUse(.items, used: 9, limit: 10)
        #expect(await warning(&events) == second)
        // A reader that comes late gets the newest one.
        #expect(await warning(in: room) == second)
        // So does a client that enters the room now.
        let late = try await CollectionClient.connect(to: server.address)
        let entered = try await late.join("room")
        #expect(await warning(in: entered) == second)
        client.close()
        late.close()
    }

    @Test func ofTheAddressIsAnEventOfEachRoom() async throws {
        let server = try await LocalServer.start {
            $0.proxies.trusted = .none
            $0.addresses.rooms = 5
        }
        let client = try await CollectionClient.connect(to: server.address)
        var rooms: [CollectionRoom] = []
        for number in 1...4 { rooms.append(try await client.join("room \(number)")) }
        let near = QuotaUse(.rooms, used: 4, limit: 5)
        #expect(near.quota.isOfAccount)
        for room in rooms { #expect(await warning(in: room) == near) }
        rooms.append(try await client.join("room 5"))
        #expect(await warning(in: rooms[4]) == near)
        client.close()
    }
}
