import ModelSupport
import ServerSupport
import SyncAccess
import SyncModel
import SyncServer
import SyncSim
import SyncStore
import SyncWire
import Testing

@testable import SyncRoom

/// A server that asks for tokens knows for whom each connection acts, from the hello to the token's
/// end.
@Suite("Signing in")
struct SignInTests {
    private func makeWorld(
        fromAnywhere: Bool = true, threads: Int = 1, seed: UInt64 = 1,
        _ tokens: TestTokens = TestTokens()
    ) throws -> World {
        try World(seed: seed) {
            var authentication = TokenAuthentication(tokens)
            authentication.areTakenFromAnywhere = fromAnywhere
            $0.tokens = authentication
            $0.threads = threads
        }
    }

    /// A token that expires some seconds from now.
    private func token(
        _ world: World, _ user: String = "ann", _ rooms: String = "*=editor", seconds: UInt64
    ) -> String {
        let now = (1_700_000_000_000 + world.simulation.nowMicroseconds / 1000) / 1000
        return TestTokens.token(user, rooms, expires: now + seconds)
    }

    @Test(
        "fails with a code for each reason, and closes",
        arguments: [
            ("", ErrorCode.needsToken), ("broken", .badToken), ("nonsense", .badToken),
            ("unknown", .unknownKey), ("revoked", .tokenRevoked),
            ("ann:*=viewer:1:t", .tokenExpired),
        ])
    func failure(token: String, code: ErrorCode) throws {
        let world = try makeWorld()
        let client = try world.connect()
        client.send(.hello(Hello(token: token)))
        client.send(.listRooms(ListRooms(request: 1)))
        #expect(world.run { client.isClosed })
        #expect(client.connectionError?.code == code)
        #expect(client.welcome == nil && client.roomLists.isEmpty)
        #expect(!world.log.lines.contains { $0.contains(token) && !token.isEmpty })
    }

    @Test("is refused over a plain connection from another machine")
    func plain() throws {
        for (source, code) in [
            ("192.0.2.7", ErrorCode.unsecured), ("2001:db8::1", .unsecured), ("127.0.0.1", nil),
            ("127.8.9.1", nil), ("::1", nil),
        ] as [(String, ErrorCode?)] {
            let tokens = TestTokens()
            let world = try makeWorld(fromAnywhere: false, tokens)
            let client = try world.connect("c", from: source)
            client.send(.hello(Hello(token: TestTokens.token("ann", "*=viewer"))))
            #expect(world.run { client.welcome != nil || client.isClosed })
            #expect(client.connectionError?.code == code)
            #expect(tokens.verified == (code == nil ? 1 : 0))
        }
    }

    @Test("asks no worker about what can't be a token")
    func shapeless() throws {
        let tokens = TestTokens()
        let world = try makeWorld(tokens)
        let stranger = try world.connect()
        stranger.send(.hello(Hello(token: "shapeless")))
        #expect(world.run { stranger.isClosed })
        #expect(stranger.connectionError?.code == .badToken)
        #expect(tokens.verified == 0)
        let client = try world.greet(token: TestTokens.token("ann", "*=editor"))
        let request = client.makeRequest()
        client.send(.renew(Renew(request: request, token: "shapeless")))
        #expect(world.run { client.errors[.request(request)]?.code == .badToken })
        #expect(tokens.verified == 1 && !client.isClosed)
    }

    @Test("tells the client its user and how long that lasts")
    func welcome() throws {
        let world = try makeWorld()
        let client = try world.greet(token: token(world, seconds: 600))
        #expect(client.welcome?.user == "ann")
        let left = try #require(client.welcome?.tokenMilliseconds)
        #expect((598_000...600_000).contains(left))
    }

    @Test("names the user in rooms, logs and presence")
    func user() throws {
        let world = try makeWorld()
        let ann = try world.greet("a", token: TestTokens.token("ann", "*=editor"))
        let ben = try world.greet("b", token: TestTokens.token("ben", "*=viewer"))
        let room = try world.join(ann, presence: true)
        _ = try world.join(ben, presence: true)
        ann.submit(1, in: room, [.insert("a")])
        #expect(world.run { ann.answer(1, in: room) != nil && ann.others["b"] != nil })
        #expect(ann.joined.values.first?.role == .editor && ann.joined.values.first?.user == "ann")
        #expect(ben.joined.values.first?.role == .viewer)
        let shown = try #require(ann.presenceUpdates.first { $0.client == id("b") })
        #expect(shown.user == "ben" && shown.displayName == "Mx ben")
        let stored = try #require(try world.storage.open(room: roomName("room")))
        let record = try #require(stored.records.first)
        let state = RoomState()
        try state.apply(
            LogRecord(
                sequence: record.sequence, firstRevision: record.firstRevision,
                lastRevision: record.lastRevision,
                wallClockMilliseconds: record.wallClockMilliseconds, body: record.body))
        let author = try #require(state.author(id("a")))
        #expect(state.authors[author].user == "ann")
    }

    @Test("ends when the token expires, and not before", arguments: [1, 2, 3] as [UInt64])
    func expiry(seed: UInt64) throws {
        let world = try makeWorld(seed: seed)
        let client = try world.greet("a", token: token(world, seconds: 30))
        let room = try world.join(client)
        let left = try #require(client.welcome?.tokenMilliseconds)
        let began = (world.simulation.nowMicroseconds / 1000)
        #expect(world.run { client.isClosed })
        let lasted = (world.simulation.nowMicroseconds / 1000) - began
        #expect(lasted + 200 >= left && lasted <= left + 2000)
        #expect(client.connectionError?.code == .tokenExpired)
        client.submit(1, in: room, [.insert("late")])
        world.run(forMilliseconds: 500)
        #expect(client.answer(1, in: room) == nil)
    }

    @Test("refuses what comes between the token's end and the notice of it")
    func lateMessage() throws {
        let world = try makeWorld()
        world.configuration.connections.heartbeatMilliseconds = 15_000
        let client = try world.greet("a", token: token(world, seconds: 3))
        let room = try world.join(client)
        let watcher = try world.greet("w", token: TestTokens.token("wim", "*=viewer"))
        let watched = try world.join(watcher)
        let left = try #require(client.welcome?.tokenMilliseconds)
        world.run(forMilliseconds: left)
        for counter in 1...50 as ClosedRange<UInt64> where !client.isClosed {
            client.submit(counter, in: room, base: 0, [.insert("late\(counter)")])
            world.run(forMilliseconds: 20)
        }
        #expect(world.run { client.isClosed })
        #expect(client.connectionError?.code == .tokenExpired)
        let stale = watcher.items(watched)
        world.run(forMilliseconds: 2000)
        #expect(watcher.items(watched) == stale && stale.count <= 10)
    }

    @Test("goes on with a new token, and closes nothing")
    func renewal() throws {
        let world = try makeWorld()
        let client = try world.greet("a", token: token(world, seconds: 10))
        let room = try world.join(client)
        for round in 1...5 as ClosedRange<UInt64> {
            world.run(forMilliseconds: 6000)
            let request = client.makeRequest()
            client.send(.renew(Renew(request: request, token: token(world, seconds: 10))))
            client.submit(round, in: room, [.insert("i\(round)")])
            #expect(world.run { client.renewed.contains(request) })
            #expect(world.run { client.answer(round, in: room) != nil })
        }
        #expect(!client.isClosed && client.items(room).count == 5)
        #expect(world.run { client.isClosed })
        #expect(client.connectionError?.code == .tokenExpired)
    }

    @Test("keeps the old token when the new one is refused")
    func refusedRenewal() throws {
        let world = try makeWorld()
        let client = try world.greet("a", token: token(world, seconds: 20))
        for (text, code) in [
            ("broken", ErrorCode.badToken), ("unknown", .unknownKey), ("revoked", .tokenRevoked),
            ("ann:*=viewer:1:t", .tokenExpired), (TestTokens.token("ben", "*=admin"), .badToken),
            ("", .badToken),
        ] {
            let request = client.makeRequest()
            client.send(.renew(Renew(request: request, token: text)))
            #expect(world.run { client.errors[.request(request)]?.code == code })
            #expect(!client.isClosed)
        }
        _ = try world.join(client)
        #expect(world.run { client.isClosed })
        #expect(client.connectionError?.code == .tokenExpired)
    }

    @Test("takes the roles of the new token, and members without one out of their rooms")
    func changedRoles() throws {
        for threads in [1, 3] {
            let world = try makeWorld(threads: threads)
            let client = try world.greet(
                "a", token: token(world, "ann", "one=editor,two=editor", seconds: 60))
            let (one, two) = (try world.join(client, "one"), try world.join(client, "two"))
            let owner = try world.greet("o", token: TestTokens.token("own", "*=admin"))
            let watched = try world.join(owner, "two")
            client.send(
                .renew(
                    Renew(
                        request: client.makeRequest(),
                        token: token(world, "ann", "one=viewer", seconds: 60))))
            #expect(world.run { client.troubles[two] == [.notAllowed] })
            client.submit(1, in: one, [.insert("a")])
            #expect(world.run { client.answer(1, in: one) == .reject(.notAllowed) })
            let batches = client.replicas[two]?.batchCount
            owner.submit(1, in: watched, [.insert("secret")])
            #expect(world.run { owner.items(watched) == ["secret"] })
            world.run(forMilliseconds: 1000)
            #expect(client.replicas[two]?.batchCount == batches && client.items(two).isEmpty)
            #expect(!client.isClosed)
        }
    }

    /// The room's loop has admitted the member, and sent the content, before the renewal is known
    /// there.
    @Test(
        "sends nothing of a room whose role is gone when the join is answered",
        arguments: 1...20 as ClosedRange<UInt64>)
    func roleLostWhileJoining(seed: UInt64) throws {
        let world = try makeWorld(threads: 4, seed: seed)
        let owner = try world.greet("o", token: TestTokens.token("own", "*=admin"))
        for number in 1...6 {
            let room = try world.join(owner, "room \(number)")
            owner.submit(1, in: room, base: 0, [.insert("secret")])
            #expect(world.run { owner.answer(1, in: room) != nil })
        }
        let client = try world.greet("a", token: TestTokens.token("ann", "room*=editor"))
        let requests = (1...6).map { client.join("room \($0)", presence: true) }
        let renewal = client.makeRequest()
        client.send(
            .renew(Renew(request: renewal, token: TestTokens.token("ann", "other=viewer"))))
        #expect(world.run { client.renewed.contains(renewal) })
        let known = client.replicas.mapValues(\.revisions.count)
        world.run(forMilliseconds: 2000)
        #expect(client.replicas.mapValues(\.revisions.count) == known)
        for request in requests where client.joined[request] == nil {
            #expect(client.errors[.request(request)]?.code == .notAllowed)
        }
    }

    @Test("belongs to one user: nobody joins as another's client")
    func clientIDs() throws {
        let world = try makeWorld()
        let ann = try world.greet("c", token: TestTokens.token("ann", "*=editor"))
        let room = try world.join(ann, secret: [1, 2])
        ann.submit(1, in: room, [.insert("a")])
        #expect(world.run { ann.answer(1, in: room) != nil })
        for user in ["ben", "an", "annn", "c"] {
            let other = try world.greet("c", token: TestTokens.token(user, "*=admin"))
            let request = other.join("room", secret: [1, 2])
            #expect(world.run { other.errors[.request(request)]?.code == .badSecret })
        }
        #expect(!ann.isClosed && ann.troubles[room] == nil)
        let again = try world.greet("c", token: TestTokens.token("ann", "*=editor"))
        _ = try world.join(again, secret: [1, 2])
        #expect(world.run { ann.troubles[room] == [.replaced] })
    }

    @Test("makes what is sent with the hello wait, in order")
    func pipelining() throws {
        let world = try makeWorld()
        let client = try world.connect("a")
        client.send(.hello(Hello(token: TestTokens.token("ann", "*=editor"))))
        let request = client.join("room")
        client.send(
            .submit(
                try Submit(
                    room: 0, counter: 1,
                    transaction: ListTransaction(base: 0, operations: [.insert("a")]))),
            naming: request)
        #expect(world.run { client.joined[request].map { client.items($0.handle) } == ["a"] })
    }

    @Test("is not asked for without tokens, and a renewal is not supported then")
    func open() throws {
        let world = try World()
        let client = try world.greet("a", token: "whatever")
        #expect(client.welcome?.user == "" && client.welcome?.tokenMilliseconds == 0)
        client.send(.renew(Renew(request: 7, token: "whatever")))
        #expect(world.run { client.errors[.request(7)]?.code == .unsupported })
        _ = try world.join(client)
    }
}
