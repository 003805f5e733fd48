import ModelSupport
import SeededRandom
import ServerSupport
import SyncAccess
import SyncIO
import SyncModel
import SyncRoom
import SyncSim
import SyncWire
import Testing

@testable import SyncServer

/// What one user may have and do, wherever it connects from, while others go on.
@Suite("A user")
struct UserLimitTests {
    private static let office = "10.0.0.1"
    private static let home = "10.0.0.2"

    /// A world whose connections are signed in.
    private struct Users {
        let world: World

        init(seed: UInt64 = 1, _ configure: (inout ServerConfiguration) -> Void) throws {
            world = try World(seed: seed) {
                $0.tokens = TokenAuthentication(TestTokens())
                $0.tokens?.areTakenFromAnywhere = true
                configure(&$0)
            }
        }

        /// Connects a client; `user` is empty if it does not sign in.
        func connect(_ user: String, from source: String?, client: String? = nil) throws
            -> RawClient
        {
            let client = try world.connect(client ?? user, from: source)
            client.send(.hello(Hello(token: TestTokens.token(user, "*=admin"), agent: "test")))
            #expect(world.run { client.welcome != nil || client.isClosed })
            return client
        }

        func code(of client: RawClient, joining room: String) throws -> ErrorCode? {
            let request = client.join(room)
            #expect(
                world.run {
                    client.errors[.request(request)] != nil || client.joined[request] != nil
                })
            return client.errors[.request(request)]?.code
        }

        /// Does something with the server's sessions, in the order in which they were accepted.
        func withSessions(_ body: @escaping @Sendable ([Session]) -> Void) {
            world.server?.loops.withLock { $0[0] }.post { body($0.connections.sessions) }
            world.run(forMilliseconds: 10)
        }
    }

    @Test("at one address with others has its own shares, and from many addresses one")
    func holders() throws {
        let users = try Users { _ in }
        let anna = try users.connect("anna", from: Self.office)
        let bert = try users.connect("bert", from: Self.office)
        let away = try users.connect("anna", from: Self.home)
        let trusted = try users.connect("anna", from: "127.0.0.1")
        let nobody = try users.connect("", from: Self.office)
        users.withSessions { sessions in
            #expect(sessions.count == 5)
            let holders = sessions.map { ObjectIdentifier($0.holder.top) }
            let owners = sessions.map(\.owner)
            for marks in [holders, owners] {
                #expect(marks[0] == marks[2] && marks[0] == marks[3])
                #expect(Set(marks).count == 3)
            }
            #expect(sessions.allSatisfy { $0.charge.count > 0 })
            #expect(sessions[0].holder.top.memory.used >= 3 * sessions[0].charge.count)
        }
        for client in [anna, bert, away, trusted, nobody] { client.close() }
        users.world.run(forMilliseconds: 100)
    }

    /// Connections come and go at random. Each is accepted exactly if a plain count says so.
    @Test(
        "has its connections, whoever else is at its addresses",
        arguments: 1...8 as ClosedRange<UInt64>)
    func connections(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let users = try Users(seed: seed) {
            $0.users.connections = 3
            $0.addresses.connections = 2
            $0.addresses.signedInConnections = 5
        }
        var open: [(client: RawClient, user: String, address: String)] = []
        for _ in 0..<60 {
            if random.next() % 3 == 0, !open.isEmpty {
                open.remove(at: Int(random.next() % UInt64(open.count))).client.close()
                users.world.run(forMilliseconds: 50)
                continue
            }
            let user = ["", "anna", "bert", "carl"][Int(random.next() % 4)]
            let address = [Self.office, Self.home][Int(random.next() % 2)]
            let client = try users.connect(user, from: address)
            // A connection first needs a place among those that have not signed in.
            let isAccepted =
                open.count { $0.address == address && $0.user.isEmpty } < 2
                && (user.isEmpty
                    || open.count { $0.user == user } < 3
                        && open.count { $0.address == address && !$0.user.isEmpty } < 5)
            #expect((client.welcome != nil) == isAccepted)
            if isAccepted {
                open.append((client, user, address))
            } else {
                #expect(client.connectionError?.code == .tooManyConnections)
                users.world.run(forMilliseconds: 50)
            }
        }
    }

    @Test("is in so many rooms at once, from all its addresses")
    func rooms() throws {
        let users = try Users { $0.users.rooms = 2 }
        let here = try users.connect("anna", from: Self.office, client: "a")
        let there = try users.connect("anna", from: Self.home, client: "b")
        let bert = try users.connect("bert", from: Self.office)
        _ = try users.world.join(here, "one")
        let room = try users.world.join(there, "two")
        #expect(try users.code(of: here, joining: "three") == .userLimit)
        #expect(try users.code(of: bert, joining: "three") == nil)
        #expect(try users.code(of: bert, joining: "one") == nil)
        there.send(.leave(Leave(request: there.makeRequest(), room: room)))
        users.world.run(forMilliseconds: 100)
        #expect(try users.code(of: here, joining: "three") == nil)
    }

    @Test("has rooms made at a rate, from all its addresses")
    func newRooms() throws {
        let users = try Users {
            $0.users.newRooms = Rate(perMinute: 6, burst: 2)
            $0.addresses.newRooms = Rate(perMinute: 1, burst: 1)
        }
        let here = try users.connect("anna", from: Self.office, client: "a")
        let there = try users.connect("anna", from: Self.home, client: "b")
        let nobody = try users.connect("", from: Self.office, client: "c")
        #expect(try users.code(of: here, joining: "one") == nil)
        #expect(try users.code(of: there, joining: "two") == nil)
        #expect(try users.code(of: there, joining: "three") == .userLimit)
        let wait = there.errors.values.first?.retryAfterMilliseconds ?? 0
        #expect(wait > 9_000 && wait <= 10_000)
        // Neither its address nor another user has paid for that.
        #expect(try users.code(of: nobody, joining: "three") == nil)
        #expect(try users.code(of: nobody, joining: "four") == .addressLimit)
        let bert = try users.connect("bert", from: Self.office)
        #expect(try users.code(of: bert, joining: "four") == nil)
        users.world.run(forMilliseconds: UInt64(wait))
        #expect(try users.code(of: here, joining: "five") == nil)
    }

    @Test("is read at its own rate, and others at its address do not wait")
    func rates() throws {
        let users = try Users { $0.users.messages = Rate(perSecond: 100) }
        let world = users.world
        let floods = try [Self.office, Self.home].enumerated().map { number, address in
            let client = try users.connect("m", from: address, client: "m\(number)")
            return (client: client, room: try world.join(client, "room"))
        }
        let anna = try users.connect("anna", from: Self.office)
        let other = try world.join(anna, "other")
        for (number, flood) in floods.enumerated() {
            for counter in 1...1000 as ClosedRange<UInt64> {
                flood.client.submit(
                    counter, in: flood.room, base: 0, [.insert("i\(number)-\(counter)")])
            }
        }
        for counter in 1...5 as ClosedRange<UInt64> {
            world.run(forMilliseconds: 1000)
            anna.submit(counter, in: other, base: 0, [.insert("i\(counter)")])
            #expect(world.run(limitMilliseconds: 100) { anna.answer(counter, in: other) != nil })
            // Newcomers of its address do not wait, either.
            #expect(try users.connect("b\(counter)", from: Self.office).welcome != nil)
        }
        // One second's worth at once, five seconds' worth later, and what one read has from each.
        let answered = floods.reduce(0) { count, flood in
            count + (flood.client.replicas[flood.room]?.answers.count ?? 0)
        }
        #expect(answered >= 400 && answered <= 600 + 400, "\(answered)")
        #expect(
            world.run(limitMilliseconds: 60_000) {
                floods.allSatisfy { $0.client.answer(1000, in: $0.room) != nil }
            })
    }

    /// The other messages of a user do not count as transactions.
    @Test("writes at a rate of its own")
    func transactions() throws {
        let users = try Users { $0.users.transactions = Rate(perSecond: 10) }
        let world = users.world
        let anna = try users.connect("anna", from: Self.office)
        let room = try world.join(anna, "room")
        for number in 0..<50 {
            anna.send(.listRooms(ListRooms(request: RequestID(1000 + number))))
            world.run(forMilliseconds: 1)
        }
        #expect(world.run(limitMilliseconds: 100) { anna.roomLists.count == 50 })
        let start = world.simulation.nowMicroseconds
        for counter in 1...40 as ClosedRange<UInt64> {
            anna.submit(counter, in: room, base: 0, [.insert("i\(counter)")])
            world.run(forMilliseconds: 1)
        }
        let bert = try users.connect("bert", from: Self.office)
        let other = try world.join(bert, "other")
        bert.submit(1, in: other, [.insert("a")])
        #expect(world.run(limitMilliseconds: 100) { bert.answer(1, in: other) != nil })
        // What has come is read at once. What comes later waits until all of that is paid for.
        #expect(world.run { anna.answer(40, in: room) != nil })
        anna.submit(41, in: room, base: 0, [.insert("i41")])
        #expect(world.run { anna.answer(41, in: room) != nil })
        let milliseconds = (world.simulation.nowMicroseconds - start) / 1000
        #expect(milliseconds >= 2900 && milliseconds <= 3500, "\(milliseconds)")
        #expect(anna.lastReject == nil)
    }

    @Test("may sign in long after the hello, and again")
    func signingInLater() throws {
        let users = try Users {
            $0.users.rooms = 2
            $0.users.connections = 1
            $0.addresses.messages = Rate(perMinute: 1, burst: 4)
        }
        let world = users.world
        let client = try users.connect("", from: Self.office, client: "a")
        let room = try world.join(client, "one")
        for counter in 1...20 as ClosedRange<UInt64> {
            client.submit(counter, in: room, base: 0, [.insert("i\(counter)")])
        }
        // Its address is over its rate, so it is not read.
        world.run(forMilliseconds: 1000)
        let other = try world.connect("b", from: Self.office)
        other.send(.hello(Hello(token: TestTokens.token("", "*=admin"), agent: "test")))
        world.run(forMilliseconds: 1000)
        #expect(other.welcome == nil)
        users.withSessions { sessions in
            #expect(sessions[1].signIn(as: TokenBearer(user: "", tokenID: nil)))
            #expect(sessions[1].usage.isOverRate)
            #expect(sessions[1].signIn(as: TokenBearer(user: "bert", tokenID: nil)))
            #expect(!sessions[1].usage.isOverRate)
            #expect(sessions[0].signIn(as: TokenBearer(user: "anna", tokenID: nil)))
            let account = sessions[0].usage.account
            #expect(account?.rooms.used == 1 && account?.connections.used == 1)
            // A second time, this takes nothing.
            #expect(sessions[0].signIn(as: TokenBearer(user: "anna", tokenID: nil)))
            #expect(sessions[0].usage.account === account)
            #expect(account?.rooms.used == 1 && account?.connections.used == 1)
        }
        #expect(world.run(limitMilliseconds: 2000) { other.welcome != nil })
        #expect(world.run(limitMilliseconds: 2000) { client.answer(20, in: room) != nil })
        // The room that it was in before counts for the user, and is given back by it.
        #expect(try users.code(of: client, joining: "two") == nil)
        #expect(try users.code(of: client, joining: "three") == .userLimit)
        client.send(.leave(Leave(request: client.makeRequest(), room: room)))
        world.run(forMilliseconds: 100)
        #expect(try users.code(of: client, joining: "three") == nil)
        // Nobody becomes another user.
        users.withSessions { #expect(!$0[0].signIn(as: TokenBearer(user: "bert", tokenID: nil))) }
        #expect(world.run { client.isClosed })
        #expect(client.connectionError?.code == .badMessage)
        users.withSessions { sessions in
            #expect(sessions.count == 1)
            let account = sessions.first?.loop.account(ofUser: "anna")
            #expect(account?.rooms.used == 0 && account?.connections.used == 0)
        }
    }
}
