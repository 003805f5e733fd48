import ModelSupport
import SyncModel
import SyncRoom
import SyncServer
import SyncSim
import SyncWire
import Testing

/// What one room may have, and how it tells before and when it has that.
@Suite("A room's quotas")
struct RoomQuotaTests {
    private static func code(
        of client: RawClient, joining room: String, in world: World
    ) throws -> ErrorCode? {
        let request = client.join(room)
        #expect(
            world.run { client.errors[.request(request)] != nil || client.joined[request] != nil })
        return client.errors[.request(request)]?.code
    }

    @Test("limit its members, and a client that joins again replaces itself")
    func members() throws {
        let world = try World { $0.room.maximumMembers = 5 }
        var members = try (1...3).map { try world.join("m\($0)") }
        #expect(world.log.count(of: "a room is nearly full") == 0)
        members.append(try world.join("m4"))
        world.run(forMilliseconds: 100)
        #expect(world.log.count(of: "a room is nearly full") == 1)
        members.append(try world.join("m5"))
        let another = try world.greet("m6")
        #expect(try Self.code(of: another, joining: "room", in: world) == .limitExceeded)
        #expect(try Self.code(of: another, joining: "other", in: world) == nil)
        _ = try world.join("m5")
        members[0].client.close()
        world.run(forMilliseconds: 100)
        #expect(try Self.code(of: another, joining: "room", in: world) == nil)
        another.send(.readStats(RoomRequest(request: 90, room: try #require(RoomName("room")))))
        #expect(world.run { another.stats[90] != nil })
        #expect(another.stats[90]?.figures[.members] == 5)
        #expect(another.stats[90]?.figures[.memberLimit] == 5)
        #expect(world.log.count(of: "a room is nearly full") == 1)
    }

    private static func item(_ name: String, bytes: Int) throws -> ListOperation {
        let text = String(repeating: "x", count: bytes)
        let content = try ItemContent(fields: [Field(name: id("t"), value: .text(text))])
        return .insert(Item(id: id(name), content: content), to: Placement(section: id("main")))
    }

    /// Submits one transaction after the other. What is refused is sent again as soon as the
    /// server says. Returns when each was acknowledged, in milliseconds.
    private static func times(
        _ count: Int, by client: RawClient, in room: RoomHandle, _ world: World,
        bytes: Int = 1
    ) throws -> [UInt64] {
        var times: [UInt64] = []
        let start = world.simulation.nowMicroseconds
        for counter in 1...UInt64(count) {
            while times.count < counter {
                let former = client.replicas[room]?.answers.count ?? 0
                client.submit(counter, in: room, [try item("i\(counter)", bytes: bytes)])
                let isAnswered = world.run {
                    (client.replicas[room]?.answers.count ?? 0) > former
                }
                try #require(isAnswered)
                guard case .reject(let code) = client.replicas[room]?.answers.last?.outcome else {
                    times.append((world.simulation.nowMicroseconds - start) / 1000)
                    continue
                }
                #expect(code == .unavailable)
                let wait = UInt64(client.lastReject?.retryAfterMilliseconds ?? 0)
                try #require(wait > 0)
                world.run(forMilliseconds: wait)
            }
        }
        return times
    }

    @Test("limit the transactions of a second, and say when the next one is accepted")
    func transactions() throws {
        let world = try World { $0.room.writes.transactions = Rate(perSecond: 10) }
        let (anna, room) = try world.join("anna")
        let times = try Self.times(40, by: anna, in: room, world)
        #expect(world.log.count(of: "a room is nearly full") > 0)
        anna.send(.readStats(RoomRequest(request: 90, room: try #require(RoomName("room")))))
        #expect(world.run { anna.stats[90] != nil })
        #expect((8...11).contains(anna.stats[90]?.figures[.recentTransactions] ?? 0))
        #expect(anna.stats[90]?.figures[.recentTransactionLimit] == 10)
        // Ten at once, and what is paid back meanwhile.
        #expect(times[9] < 200 && times[39] >= 2800 && times[39] <= 3400, "\(times)")
        for (number, time) in times.enumerated().dropFirst(12) {
            #expect(Int(time) >= (number - 12) * 100, "\(times)")
        }
        // Other rooms, and whoever reads, do not wait.
        let (bert, other) = try world.join("bert", "other")
        bert.submit(1, in: other, [.insert("a")])
        #expect(world.run(limitMilliseconds: 50) { bert.answer(1, in: other) != nil })
        #expect(bert.lastReject == nil)
    }

    @Test("limit the bytes of a second")
    func bytes() throws {
        let world = try World { $0.room.writes.bytes = Rate(perSecond: 10_000) }
        let (anna, room) = try world.join("anna")
        let times = try Self.times(20, by: anna, in: room, world, bytes: 2000)
        #expect(times[3] < 100 && times[19] >= 2500 && times[19] <= 3800, "\(times)")
    }

    @Test("may be beside those of all rooms together")
    func serverRates() throws {
        let world = try World {
            $0.storage.writes.transactions = Rate(perSecond: 10)
            $0.threads = 2
        }
        let (bert, other) = try world.join("bert", "other")
        for counter in 1...6 as ClosedRange<UInt64> {
            bert.submit(counter, in: other, [.insert("i\(counter)")])
        }
        #expect(world.run { bert.answer(6, in: other) != nil })
        #expect(world.log.count(of: "the server is nearly full") == 0)
        let (anna, room) = try world.join("anna")
        let times = try Self.times(30, by: anna, in: room, world)
        #expect(times[3] < 200 && times[29] >= 2300 && times[29] <= 4000, "\(times)")
        #expect(world.log.count(of: "the server is nearly full") > 0)
        // Anna has written her share. Bert, who has written little lately, can still write.
        bert.submit(7, in: other, [.insert("i7")])
        #expect(world.run { bert.answer(7, in: other) != nil })
        #expect(bert.lastReject == nil)
        anna.send(.readStats(RoomRequest(request: 90, room: try #require(RoomName("room")))))
        #expect(world.run { anna.stats[90] != nil })
        let stats = try #require(anna.stats[90])
        #expect((1...10).contains(stats.server[.recentTransactions] ?? 0))
        #expect(stats.server[.recentTransactionLimit] == 10)
        #expect(stats.figures[.recentTransactionLimit] == 0)
    }

    @Test("count all together, also those who write a single transaction")
    func manyWriters() throws {
        let world = try World { $0.storage.writes.transactions = Rate(perSecond: 10) }
        let clients = try (0..<30).map { number in
            let client = try world.greet("c\(number)", from: "10.0.1.\(number + 1)")
            return (client: client, room: try world.join(client, "room\(number)"))
        }
        for (client, room) in clients {
            client.submit(1, in: room, [.insert("a")])
            #expect(world.run { client.answer(1, in: room) != nil })
        }
        let refused = clients.count { $0.client.answer(1, in: $0.room) == .reject(.unavailable) }
        #expect((5...20).contains(refused), "\(refused) of 30 were refused")
    }

    @Test("are looked at again when a pause ends, though nothing happens in the room")
    func endOfAPause() throws {
        let world = try World { $0.room.writes.transactions = Rate(perSecond: 1) }
        let (anna, room) = try world.join("anna")
        for counter in 1...3 as ClosedRange<UInt64> {
            anna.submit(counter, in: room, [.insert("i\(counter)")])
        }
        #expect(world.run { anna.answer(3, in: room) != nil })
        world.run(forMilliseconds: 5000)
        let former = anna.lastReject
        anna.submit(4, in: room, [.insert("i4")])
        #expect(world.run { anna.answer(4, in: room) != nil })
        #expect(anna.lastReject == former)
    }

    @Test("of the whole server, of users and of addresses are told before they are reached")
    func warnings() throws {
        let world = try World {
            $0.maximumConnections = 10
            $0.addresses.connections = 5
            $0.addresses.rooms = 10
        }
        func lines(_ text: String) -> Int { world.log.count(of: text) }
        var clients = try (0..<3).map { try world.greet("c\($0)", from: "10.0.0.1") }
        #expect(lines("an address is near a limit") == 0)
        clients.append(try world.greet("c3", from: "10.0.0.1"))
        #expect(lines("an address is near a limit") == 1)
        for number in 0..<8 { _ = try world.join(clients[0], "room\(number)") }
        #expect(lines("an address is near a limit") == 2)
        for number in 0..<4 { clients.append(try world.greet("d\(number)")) }
        world.run(forMilliseconds: 2000)
        #expect(lines("the server is nearly full") == 1)
        world.run(forMilliseconds: 5000)
        #expect(lines("the server is nearly full") == 1)
        #expect(lines("an address is near a limit") == 2)
        // Once there is much less, a warning is news again.
        for client in clients { client.close() }
        world.run(forMilliseconds: 2000)
        clients = try (0..<8).map { try world.greet("e\($0)") }
        world.run(forMilliseconds: 2000)
        #expect(lines("the server is nearly full") == 2)
        clients[0].send(.readStats(RoomRequest(request: 9, room: try #require(RoomName("room0")))))
        #expect(world.run { clients[0].stats[9] != nil || !clients[0].errors.isEmpty })
    }
}
