import ModelSupport
import SeededRandom
import ServerSupport
import SyncAccess
import SyncModel
import SyncServer
import SyncSim
import SyncStore
import SyncWire
import Testing

/// From the answer to a revocation on, who is revoked gets nothing, and nothing that they sent
/// becomes durable any more.
@Suite("Revoking")
struct RevokingTests {
    private final class TestLog: RevocationLog, @unchecked Sendable {
        // Sendable, as a simulation has one thread.
        private(set) var kept: [Revocation] = []
        var failure: RevocationFailure?

        func add(
            _ revocation: Revocation,
            completion: @escaping @Sendable (RevocationFailure?) -> Void
        ) {
            if failure == nil { kept.append(revocation) }
            completion(failure)
        }
    }

    private func makeWorld(
        seed: UInt64 = 1, threads: Int = 1, log: TestLog = TestLog(), _ known: Revocations = .init()
    ) throws -> World {
        try World(seed: seed) {
            $0.tokens = TokenAuthentication(TestTokens())
            $0.tokens?.areTakenFromAnywhere = true
            $0.revocation.log = log
            $0.revocation.revoked = known
            $0.threads = threads
        }
    }

    private func greet(_ world: World, _ user: String, id: String = "t") throws -> RawClient {
        try world.greet(user, token: TestTokens.token(user, "*=admin", id: id))
    }

    @Test(
        "ends the connections that it names, and keeps them away",
        arguments: [
            Revoke.Subject.token("t-ann"), .user("ann"), .key("key"), .all,
        ])
    func subjects(subject: Revoke.Subject) throws {
        for threads in [1, 3] {
            let log = TestLog()
            let world = try makeWorld(threads: threads, log: log)
            let ann = try greet(world, "ann", id: "t-ann")
            let ben = try greet(world, "ben", id: "t-ben")
            let root = try greet(world, "root", id: "t-root")
            let room = try world.join(ann, "room")
            _ = try world.join(ben, "room")
            let request = root.makeRequest()
            root.send(.revoke(Revoke(request: request, subject)))
            let includesAll = subject == .all || subject == .key("key")
            #expect(world.run { ann.isClosed && (includesAll || root.done.contains(request)) })
            #expect(world.run(limitMilliseconds: 1000) { ben.isClosed } == includesAll)
            #expect(ann.connectionError == nil && ann.troubles[room] == nil)
            #expect(log.kept.count == 1)
            let again = try world.connect("ann")
            again.send(.hello(Hello(token: TestTokens.token("ann", "*=admin", id: "t-ann"))))
            #expect(world.run { again.isClosed })
            #expect(again.connectionError?.code == .tokenRevoked)
            guard !includesAll else { continue }
            // Nothing of this is forgotten when another user is revoked.
            root.send(.revoke(Revoke(request: root.makeRequest(), .user("carl"))))
            world.run(forMilliseconds: 100)
            let third = try world.connect("ann")
            third.send(.hello(Hello(token: TestTokens.token("ann", "*=admin", id: "t-ann"))))
            #expect(world.run { third.isClosed })
            #expect(third.connectionError?.code == .tokenRevoked)
        }
    }

    @Test("of a user concerns the tokens until then, and no later ones")
    func laterTokens() throws {
        let world = try makeWorld()
        let root = try greet(world, "root")
        let ann = try greet(world, "ann")
        let request = root.makeRequest()
        root.send(.revoke(Revoke(request: request, .user("ann"))))
        #expect(world.run { root.done.contains(request) && ann.isClosed })
        world.run(forMilliseconds: 2000)
        let again = try greet(world, "ann", id: "new")
        #expect(again.welcome?.user == "ann")
    }

    @Test("of a user, and a later token with less, takes away a part", arguments: [1, 3])
    func downgrade(threads: Int) throws {
        let world = try makeWorld(threads: threads)
        let root = try greet(world, "root")
        let ann = try greet(world, "ann")
        let room = try world.join(ann)
        ann.submit(1, in: room, [.insert("before")])
        #expect(world.run { ann.items(room) == ["before"] })
        let request = root.makeRequest()
        root.send(.revoke(Revoke(request: request, .user("ann"))))
        #expect(world.run { root.done.contains(request) && ann.isClosed })
        world.run(forMilliseconds: 2000)
        let viewer = try world.greet("ann", token: TestTokens.token("ann", "*=viewer", id: "new"))
        let again = try world.join(viewer)
        #expect(viewer.joined.values.first?.role == .viewer)
        #expect(viewer.items(again) == ["before"])
        viewer.submit(2, in: again, base: 0, [.insert("after")])
        #expect(world.run { viewer.answer(2, in: again) == .reject(.notAllowed) })
        // What the earlier token allowed can't be had with that token any more.
        let old = try world.connect("ann")
        old.send(.hello(Hello(token: TestTokens.token("ann", "*=admin"))))
        #expect(world.run { old.isClosed })
        #expect(old.connectionError?.code == .tokenRevoked)
        #expect(try storedItems(world) == 1)
    }

    @Test("known from the start keeps tokens away")
    func known() throws {
        var known = Revocations()
        known.insert(.token("bad"))
        let world = try makeWorld(threads: 2, known)
        let client = try world.connect("ann")
        client.send(.hello(Hello(token: TestTokens.token("ann", "*=admin", id: "bad"))))
        #expect(world.run { client.isClosed })
        #expect(client.connectionError?.code == .tokenRevoked)
    }

    @Test("of a key that the server has no more ends its connections, and those that come with it")
    func keys() throws {
        let tokens = TestTokens()
        let world = try World(seed: 1) {
            $0.tokens = TokenAuthentication(tokens)
            $0.tokens?.areTakenFromAnywhere = true
        }
        let ann = try greet(world, "ann")
        let ben = try world.connect("ben")
        ben.send(.hello(Hello(token: TestTokens.token("ben", "*=admin"))))
        #expect(world.run { tokens.verified == 2 })
        // The token is found to be good, and its connection has not heard of it.
        #expect(ben.welcome == nil)
        tokens.key = "next"
        world.server?.keysHaveChanged(without: [])
        #expect(world.run { ann.isClosed && ben.isClosed })
        #expect(ann.connectionError == nil)
        #expect(ben.welcome == nil && ben.connectionError?.code == .unknownKey)
        let carl = try greet(world, "carl")
        world.server?.keysHaveChanged(without: [])
        world.run(forMilliseconds: 100)
        #expect(!carl.isClosed)
    }

    @Test("that can't be kept is refused, and ends nobody")
    func failure() throws {
        let log = TestLog()
        let world = try makeWorld(log: log)
        let root = try greet(world, "root")
        let ann = try greet(world, "ann")
        for (failure, code) in [
            (RevocationFailure.unavailable, ErrorCode.unavailable), (.full, .limitExceeded),
        ] {
            log.failure = failure
            let request = root.makeRequest()
            root.send(.revoke(Revoke(request: request, .user("ann"))))
            #expect(world.run { root.errors[.request(request)]?.code == code })
            world.run(forMilliseconds: 100)
            #expect(!ann.isClosed)
        }
        let editor = try world.greet("eve", token: TestTokens.token("eve", "*=editor"))
        editor.send(.revoke(Revoke(request: 99, .all)))
        #expect(world.run { editor.errors[.request(99)]?.code == .notAllowed })
        #expect(!ann.isClosed && !editor.isClosed)
    }

    /// Also where nothing that is taken back is written.
    @Test("that does not fit is refused, and ends nobody")
    func full() throws {
        var known = Revocations()
        for number in 0..<Revocations.maximumRolesOfUser {
            known.insert(.role(of: "ann", in: roomName("room \(number)"), through: 0))
        }
        let world = try makeWorld(known)
        let root = try greet(world, "root")
        let ann = try greet(world, "ann")
        let subject = { Revoke.Subject.role(of: $0, in: roomName("another")) }
        root.send(.revoke(Revoke(request: 7, subject("ann"))))
        #expect(world.run { root.errors[.request(7)]?.code == .limitExceeded })
        root.send(.revoke(Revoke(request: 8, subject("ben"))))
        #expect(world.run { root.done.contains(8) })
        #expect(!ann.isClosed)
        root.send(.revoke(Revoke(request: 9, .user("ann"))))
        #expect(world.run { root.done.contains(9) && ann.isClosed })
    }

    /// Writers send as fast as they can, on loops of their own, with a slow disk and work for the
    /// workers. After `then` nothing of those who are revoked gets into the room.
    @Test(
        "drops what was received and is not durable when it is answered",
        arguments: 1...12 as ClosedRange<UInt64>)
    func undurable(seed: UInt64) throws {
        let world = try makeWorld(seed: seed, threads: Int(seed % 3) + 1)
        world.simulation.conditions.jobMicroseconds = 5_000...60_000
        let ann = try greet(world, "ann")
        let ben = try greet(world, "ben")
        let room = try world.join(ann, "room")
        let watched = try world.join(ben, "room")
        var random = SplitMix64(seed: seed)
        var counter: UInt64 = 0
        for _ in 0..<40 {
            for _ in 0..<(random.next() % 8) {
                counter += 1
                let many = random.next() % 11 == 0 ? 300 : 1
                ann.submit(
                    counter, in: room, base: 0,
                    (0..<many).map { .insert("a\(counter)-\($0)") })
            }
            ben.submit(UInt64(random.next() % 4) + counter, in: watched, base: 0, [])
            world.run(forMilliseconds: random.next() % 12)
        }
        let isDone = Box(false)
        var set = Revocations()
        set.insert(.user("ann", through: TestTokens.never))
        world.server?.revoke(set) { isDone.value = true }
        #expect(world.run(limitMilliseconds: 60_000) { isDone.value })
        let received = ann.receivedBytes
        let stored = try storedItems(world)
        world.run(forMilliseconds: 5000)
        #expect(try storedItems(world) == stored)
        #expect(ann.receivedBytes == received && ann.isClosed)
        #expect(!ben.isClosed)
        ben.submit(9_999, in: watched, base: 0, [.insert("ben")])
        #expect(world.run { ben.items(watched).contains("ben") })
        #expect(try storedItems(world) == stored + 1)
    }

    /// How many items the durable records of the room insert.
    private func storedItems(_ world: World) throws -> Int {
        let client = try world.greet("reader", token: TestTokens.token("reader", "*=viewer"))
        let request = client.makeRequest()
        client.send(
            .readSnapshot(ReadSnapshot(request: request, room: try #require(RoomName("room")))))
        #expect(world.run { client.snapshots[request] != nil })
        client.close()
        return client.snapshots[request]?.sections.reduce(0) { $0 + $1.items.count } ?? 0
    }
}
