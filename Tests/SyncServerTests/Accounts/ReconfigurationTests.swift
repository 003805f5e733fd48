import ModelSupport
import ServerSupport
import SyncModel
import SyncRoom
import SyncServer
import SyncWire
import Testing

/// A running server gets other limits.
@Suite("Other limits")
struct ReconfigurationTests {
    private static let office = "10.0.0.1"

    private static func change(
        _ world: World, _ change: (inout ServerConfiguration) -> Void
    ) {
        change(&world.configuration)
        world.server?.reconfigure(world.configuration)
        world.run(forMilliseconds: 10)
    }

    private static func code(
        of client: RawClient, joining room: String, in world: World
    ) throws -> ErrorCode? {
        let request = client.join(room)
        #expect(
            world.run { client.errors[.request(request)] != nil || client.joined[request] != nil })
        return client.errors[.request(request)]?.code
    }

    @Test("of addresses and the server count at once, on all loops", arguments: [1, 3])
    func connections(threads: Int) throws {
        let world = try World {
            $0.threads = threads
            $0.addresses.connections = 2
            $0.addresses.rooms = 1
            $0.addresses.newRooms = Rate(perMinute: 1, burst: 1)
            $0.maximumConnections = 3
        }
        let anna = try world.greet("anna", from: Self.office)
        let bert = try world.greet("bert", from: Self.office)
        let third = try world.connect("c", from: Self.office)
        #expect(world.run(limitMilliseconds: 1000) { third.isClosed })
        _ = try world.join(anna, "one")
        #expect(try Self.code(of: bert, joining: "one", in: world) == .addressLimit)
        Self.change(world) {
            $0.addresses.connections = 4
            $0.addresses.rooms = 3
        }
        #expect(try Self.code(of: bert, joining: "one", in: world) == nil)
        #expect(try Self.code(of: bert, joining: "two", in: world) == .addressLimit)
        Self.change(world) { $0.addresses.newRooms = Rate(perMinute: 1, burst: 3) }
        #expect(try Self.code(of: bert, joining: "two", in: world) == nil)
        _ = try world.greet("carl", from: Self.office)
        let fourth = try world.connect("d", from: Self.office)
        #expect(world.run(limitMilliseconds: 1000) { fourth.isClosed })
        Self.change(world) { $0.maximumConnections = 9 }
        _ = try world.greet("dora", from: Self.office)
        // Lower limits end nothing, and let nothing more in.
        Self.change(world) { $0.addresses.connections = 1 }
        #expect(!anna.isClosed && !bert.isClosed)
        anna.close()
        world.run(forMilliseconds: 100)
        let late = try world.connect("e", from: Self.office)
        #expect(world.run(limitMilliseconds: 1000) { late.isClosed })
        #expect(world.log.count(of: "the limits have changed") == 4)
    }

    /// Also for users who have signed in before.
    @Test("of users count at once, on all loops", arguments: [1, 3])
    func users(threads: Int) throws {
        let world = try World {
            $0.threads = threads
            $0.tokens = TokenAuthentication(TestTokens())
            $0.tokens?.areTakenFromAnywhere = true
            $0.users.connections = 2
            $0.users.rooms = 1
            $0.users.newRooms = Rate(perMinute: 1, burst: 1)
        }
        func connect(_ name: String) throws -> RawClient {
            let client = try world.connect(name, from: Self.office)
            client.send(.hello(Hello(token: TestTokens.token("anna", "*=admin"), agent: "test")))
            #expect(world.run { client.welcome != nil || client.isClosed })
            return client
        }
        let first = try connect("a")
        let second = try connect("b")
        #expect(try connect("c").connectionError?.code == .tooManyConnections)
        _ = try world.join(first, "one")
        #expect(try Self.code(of: second, joining: "one", in: world) == .userLimit)
        Self.change(world) {
            $0.users.connections = 3
            $0.users.rooms = 3
        }
        #expect(try Self.code(of: second, joining: "one", in: world) == nil)
        #expect(try Self.code(of: second, joining: "two", in: world) == .userLimit)
        Self.change(world) { $0.users.newRooms = Rate(perMinute: 1, burst: 3) }
        #expect(try Self.code(of: second, joining: "two", in: world) == nil)
        #expect(try connect("c").welcome != nil)
        #expect(try connect("d").connectionError?.code == .tooManyConnections)
        // Lower limits end nothing, and let nothing more in.
        Self.change(world) { $0.users.connections = 1 }
        #expect(!first.isClosed && !second.isClosed)
        first.close()
        world.run(forMilliseconds: 100)
        #expect(try connect("e").connectionError?.code == .tooManyConnections)
    }

    @Test("of a user's rates end a pause that the old ones began")
    func ratesOfUsers() throws {
        let world = try World {
            $0.tokens = TokenAuthentication(TestTokens())
            $0.tokens?.areTakenFromAnywhere = true
            $0.users.transactions = Rate(perMinute: 1, burst: 3)
        }
        let anna = try world.greet(
            "anna", from: Self.office, token: TestTokens.token("anna", "*=admin"))
        let room = try world.join(anna)
        for counter in 1...50 as ClosedRange<UInt64> {
            anna.submit(counter, in: room, [.insert("i\(counter)")])
            world.run(forMilliseconds: 20)
        }
        #expect(anna.answer(50, in: room) == nil)
        Self.change(world) { $0.users.transactions = Rate(perSecond: 100) }
        #expect(world.run(limitMilliseconds: 2000) { anna.answer(50, in: room) != nil })
    }

    @Test("of a room count for open rooms", arguments: [1, 2])
    func rooms(threads: Int) throws {
        let world = try World {
            $0.threads = threads
            $0.room.maximumItems = 1
            $0.room.maximumMembers = 1
        }
        let (anna, room) = try world.join("anna")
        let bert = try world.greet("bert")
        #expect(try Self.code(of: bert, joining: "room", in: world) == .limitExceeded)
        anna.submit(1, in: room, [.insert("a")])
        anna.submit(2, in: room, [.insert("b")])
        #expect(world.run { anna.answer(2, in: room) == .reject(.limitExceeded) })
        Self.change(world) {
            $0.room.maximumItems = 2
            $0.room.maximumMembers = 2
        }
        #expect(try Self.code(of: bert, joining: "room", in: world) == nil)
        anna.submit(3, in: room, [.insert("b")])
        anna.submit(4, in: room, [.insert("c")])
        #expect(world.run { anna.answer(4, in: room) == .reject(.limitExceeded) })
        #expect(anna.items(room) == ["a", "b"])
        bert.send(.readStats(RoomRequest(request: 9, room: try #require(RoomName("room")))))
        #expect(world.run { bert.stats[9]?.figures[.itemLimit] == 2 })
        // Rooms that are opened later have the new limits, too.
        let (carl, other) = try world.join("carl", "other")
        carl.submit(1, in: other, [.insert("a")])
        carl.submit(2, in: other, [.insert("b")])
        #expect(world.run { carl.answer(2, in: other) != nil })
        guard case .ack = carl.answer(2, in: other) else {
            Issue.record("the new room has the old limit")
            return
        }
    }

    @Test("of rates end a pause that the old ones began")
    func rates() throws {
        let world = try World { $0.addresses.messages = Rate(perMinute: 1, burst: 3) }
        let client = try world.greet("m", from: Self.office)
        let room = try world.join(client, "room")
        for counter in 1...50 as ClosedRange<UInt64> {
            client.submit(counter, in: room, [.insert("i\(counter)")])
            world.run(forMilliseconds: 20)
        }
        #expect(client.answer(50, in: room) == nil)
        Self.change(world) { $0.addresses.messages = Rate(perSecond: 100) }
        #expect(world.run(limitMilliseconds: 2000) { client.answer(50, in: room) != nil })
        // The room's own rate, too.
        Self.change(world) { $0.room.writes.transactions = Rate(perMinute: 1, burst: 1) }
        for counter in 51...52 as ClosedRange<UInt64> {
            client.submit(counter, in: room, [.insert("i\(counter)")])
            #expect(world.run { client.answer(counter, in: room) != nil })
        }
        client.submit(53, in: room, [.insert("i53")])
        #expect(world.run { client.answer(53, in: room) == .reject(.unavailable) })
        Self.change(world) { $0.room.writes.transactions = nil }
        for counter in 53...54 as ClosedRange<UInt64> {
            client.submit(counter, in: room, [.insert("i\(counter)")])
        }
        #expect(world.run(limitMilliseconds: 1000) { client.items(room).count == 54 })
    }

    @Test("of memory count at once")
    func memory() throws {
        let world = try World { $0.maximumMemoryBytes = 64 << 20 }
        let (anna, _) = try world.join("anna")
        Self.change(world) { $0.maximumMemoryBytes = 1 << 10 }
        world.run(forMilliseconds: 100)
        #expect(try Self.code(of: anna, joining: "other", in: world) == .unavailable)
        Self.change(world) { $0.maximumMemoryBytes = 64 << 20 }
        world.run(forMilliseconds: 100)
        #expect(try Self.code(of: anna, joining: "other", in: world) == nil)
    }
}
