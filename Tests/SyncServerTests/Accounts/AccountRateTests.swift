import ModelSupport
import ServerSupport
import SyncIO
import SyncModel
import SyncRoom
import SyncServer
import SyncSim
import SyncWire
import Testing

/// How much one user, or one address, may write in a second.
@Suite("The rate at which a user writes")
struct AccountRateTests {
    private static let office = "10.0.0.1"
    private static let home = "10.0.0.2"

    private static func makeWorld(
        threads: Int = 1, _ configure: (inout ServerConfiguration) -> Void
    ) throws -> World {
        try World {
            $0.threads = threads
            $0.tokens = TokenAuthentication(TestTokens())
            $0.tokens?.areTakenFromAnywhere = true
            configure(&$0)
        }
    }

    private static func greet(
        _ world: World, _ client: String, as user: String, from source: String = office,
        rooms: String = "*=editor"
    ) throws -> RawClient {
        try world.greet(client, from: source, token: TestTokens.token(user, rooms))
    }

    /// Submits transactions, one after the other, up to the first that is refused.
    ///
    /// - Returns: how many were accepted.
    private static func submit(
        _ counters: ClosedRange<UInt64>, by client: RawClient, in room: RoomHandle, _ world: World
    ) -> Int {
        var accepted = 0
        for counter in counters {
            let former = client.replicas[room]?.answers.count ?? 0
            client.submit(counter, in: room, [.insert("\(client.name)\(counter)")])
            #expect(world.run { (client.replicas[room]?.answers.count ?? 0) > former })
            guard case .ack = client.replicas[room]?.answers.last?.outcome else { break }
            accepted += 1
        }
        return accepted
    }

    private static func stats(
        of room: String, for client: RawClient, _ world: World
    ) throws -> Stats {
        let request = client.makeRequest()
        client.send(.readStats(RoomRequest(request: request, room: try #require(RoomName(room)))))
        #expect(world.run { client.stats[request] != nil })
        return try #require(client.stats[request])
    }

    @Test("counts what the client says it has sent before")
    func claimedCounters() throws {
        let world = try Self.makeWorld { $0.users.writes.transactions = Rate(perSecond: 10) }
        let phone = try Self.greet(world, "phone", as: "anna")
        let room = try world.join(phone, "one", counter: 1 << 53 - 1)
        #expect((8...12).contains(Self.submit(1...20, by: phone, in: room, world)))
        #expect(phone.lastReject?.code == .unavailable)
    }

    @Test("counts for all its connections and rooms, and for nobody else", arguments: [1, 3])
    func all(threads: Int) throws {
        let world = try Self.makeWorld(threads: threads) {
            $0.users.writes.transactions = Rate(perSecond: 10)
        }
        let phone = try Self.greet(world, "phone", as: "anna")
        let laptop = try Self.greet(world, "laptop", as: "anna", from: Self.home)
        let bert = try Self.greet(world, "bert", as: "bert")
        let (first, second) = (try world.join(phone, "one"), try world.join(laptop, "two"))
        let other = try world.join(bert, "one")
        #expect(Self.submit(1...8, by: phone, in: first, world) == 8)
        let accepted = Self.submit(1...8, by: laptop, in: second, world)
        #expect((2...4).contains(accepted))
        let reject = try #require(laptop.lastReject)
        #expect(reject.code == .unavailable)
        #expect((1...1000).contains(reject.retryAfterMilliseconds))
        #expect(Self.submit(1...5, by: bert, in: other, world) == 5)
        // What is sent when the server said is accepted.
        world.run(forMilliseconds: UInt64(reject.retryAfterMilliseconds))
        let next = UInt64(accepted + 1)
        #expect(Self.submit(next...next, by: laptop, in: second, world) == 1)
    }

    @Test("is looked at again after a pause, though nothing has happened in the room")
    func endOfAPause() throws {
        let world = try Self.makeWorld {
            $0.users.writes.transactions = Rate(perSecond: 2)
            $0.storage.idleUnloadMilliseconds = 1_000_000
        }
        let anna = try Self.greet(world, "anna", as: "anna")
        let room = try world.join(anna, "one")
        let accepted = UInt64(Self.submit(1...10, by: anna, in: room, world))
        #expect(accepted < 5)
        world.run(forMilliseconds: 20_000)
        #expect(Self.submit((accepted + 1)...(accepted + 1), by: anna, in: room, world) == 1)
    }

    @Test("may be one of bytes")
    func bytes() throws {
        let world = try Self.makeWorld { $0.users.writes.bytes = Rate(perSecond: 10_000) }
        let anna = try Self.greet(world, "anna", as: "anna")
        let room = try world.join(anna, "one")
        let fields = [Field(name: id("t"), value: .text(String(repeating: "x", count: 4000)))]
        for counter in 1...5 as ClosedRange<UInt64> {
            let item = Item(id: id("i\(counter)"), content: try ItemContent(fields: fields))
            anna.submit(counter, in: room, [.insert(item, to: Placement(section: id("main")))])
            #expect(world.run { anna.answer(counter, in: room) != nil })
        }
        let refused = (1...5).filter { anna.answer($0, in: room) == .reject(.unavailable) }
        #expect(refused == [4, 5])
    }

    @Test("is the address's for connections that have not signed in, unless it is trusted")
    func addresses() throws {
        let world = try World { $0.addresses.writes.transactions = Rate(perSecond: 5) }
        let one = try world.greet("one", from: Self.office)
        let two = try world.greet("two", from: Self.office)
        let trusted = try world.greet("trusted")
        let room = try world.join(one)
        _ = try (world.join(two), world.join(trusted))
        #expect(Self.submit(1...4, by: one, in: room, world) == 4)
        #expect((1...3).contains(Self.submit(1...4, by: two, in: room, world)))
        #expect(Self.submit(1...20, by: trusted, in: room, world) == 20)
    }

    /// Also after a pause, when it is news again.
    @Test("is told before it is reached, and in the figures", arguments: [1, 3])
    func told(threads: Int) throws {
        let world = try Self.makeWorld(threads: threads) {
            $0.users.writes.transactions = Rate(perMinute: 60, burst: 10)
        }
        let anna = try Self.greet(world, "anna", as: "anna", rooms: "*=admin")
        let bert = try Self.greet(world, "bert", as: "bert")
        let room = try world.join(anna, "one")
        _ = try world.join(bert, "one")
        #expect(Self.submit(1...7, by: anna, in: room, world) == 7)
        #expect(anna.nearLimits.isEmpty)
        #expect(Self.submit(8...10, by: anna, in: room, world) == 3)
        anna.send(.heartbeat(Heartbeat()))
        #expect(world.run { anna.nearLimits.count == 1 })
        let told = try #require(anna.nearLimits.first)
        #expect(told.room == 0 && told.use.quota == .ownTransactions && told.use.limit == 10)
        #expect((8...10).contains(told.use.used))
        let own = try Self.stats(of: "one", for: anna, world).account
        #expect((8...10).contains(own[.recentTransactions] ?? 0))
        #expect(own[.recentTransactionLimit] == 10 && own[.recentLogByteLimit] == 0)
        #expect(own[.connections] == 1 && own[.rooms] == 1)
        #expect((own[.memoryBytes] ?? 0) > 0 && own[.writtenBytes] != nil)
        let others = try Self.stats(of: "one", for: bert, world).account
        #expect(others[.recentTransactions] == 0 && others[.connections] == 1)
        world.run(forMilliseconds: 20_000)
        #expect(Self.submit(11...19, by: anna, in: room, world) == 9)
        anna.send(.heartbeat(Heartbeat()))
        #expect(world.run { anna.nearLimits.count == 2 })
        #expect(bert.nearLimits.isEmpty)
    }

    @Test("changes while the server runs, also for who has written", arguments: [1, 3])
    func changed(threads: Int) throws {
        let world = try Self.makeWorld(threads: threads) { _ in }
        let anna = try Self.greet(world, "anna", as: "anna")
        let room = try world.join(anna, "one")
        #expect(Self.submit(1...20, by: anna, in: room, world) == 20)
        func change(_ limit: Int?) {
            world.configuration.users.writes.transactions = limit.map { Rate(perSecond: $0) }
            world.server?.reconfigure(world.configuration)
            world.run(forMilliseconds: 100)
        }
        change(3)
        let accepted = UInt64(Self.submit(21...30, by: anna, in: room, world))
        #expect((3...4).contains(accepted))
        change(nil)
        #expect(Self.submit((21 + accepted)...50, by: anna, in: room, world) == 30 - Int(accepted))
    }

    @Test("has no figures for a trusted address")
    func trusted() throws {
        let world = try World { _ in }
        let trusted = try world.greet("trusted")
        _ = try world.join(trusted, "one")
        #expect(try Self.stats(of: "one", for: trusted, world).account.all.isEmpty)
    }
}
