import ModelSupport
import ServerSupport
import SyncAccess
import SyncModel
import SyncRoom
import SyncServer
import SyncSim
import SyncWire
import Testing

/// What those may have and do with whom a room is shared, and for how long.
@Suite("A shared room")
struct SharedRoomTests {
    private struct KeptRevocations: RevocationLog {
        func add(
            _ revocation: Revocation,
            completion: @escaping @Sendable (RevocationFailure?) -> Void
        ) {
            completion(nil)
        }
    }

    private let trail = TestTrail()

    private func makeWorld(
        threads: Int = 1, _ tokens: TestTokens = TestTokens(),
        _ configure: (inout ServerConfiguration) -> Void = { _ in }
    ) throws -> World {
        try World(audit: trail) {
            $0.tokens = TokenAuthentication(tokens)
            $0.tokens?.areTakenFromAnywhere = true
            $0.revocation.log = KeptRevocations()
            $0.threads = threads
            configure(&$0)
        }
    }

    /// The token of somebody with whom a user has shared the room `room`.
    private static func token(_ name: String, of user: String, in room: String = "room") -> String {
        TestTokens.token(
            name, "\(room)=editor", expires: TestTokens.never, id: name, key: "signer", issued: 50)
            + ":\(user):t-\(user):key of \(user):40"
    }

    private func code(of client: RawClient, in world: World, joining room: String) -> ErrorCode? {
        let request = client.join(room)
        _ = world.run {
            client.errors[.request(request)] != nil || client.joined[request] != nil
        }
        return client.errors[.request(request)]?.code
    }

    @Test(
        "ends with whatever of the sharer is taken back",
        arguments: [
            Revoke.Subject.token("t-ann"), .user("ann"), .key("key of ann"), .all,
            .role(of: "ann", in: roomName("room")),
        ])
    func revoked(subject: Revoke.Subject) throws {
        for threads in [1, 3] {
            let world = try makeWorld(threads: threads)
            let root = try world.greet("r", token: TestTokens.token("root", "*=admin", id: "new"))
            let token = Self.token("share-1", of: "ann")
            let guest = try world.greet("g", token: token)
            let others = try world.greet("o", token: Self.token("share-2", of: "ben"))
            let room = try world.join(guest, "room")
            _ = try world.join(others, "room")
            root.send(.revoke(Revoke(request: root.makeRequest(), subject)))
            #expect(world.run { guest.isClosed })
            #expect(guest.connectionError == nil && guest.troubles[room] == nil)
            world.run(forMilliseconds: 100)
            #expect(others.isClosed == (subject == .all))
            let again = try world.connect("g")
            again.send(.hello(Hello(token: token)))
            #expect(world.run { again.isClosed })
            #expect(again.connectionError?.code == .tokenRevoked)
            let refused = try #require(trail.all(.signIn).last)
            #expect(refused.user == "share-1" && refused.sharer == "ann")
        }
    }

    @Test("outlives what is taken back of others, and of the sharer elsewhere")
    func kept() throws {
        let world = try makeWorld()
        let root = try world.greet("r", token: TestTokens.token("root", "*=admin", id: "new"))
        let guest = try world.greet("g", token: Self.token("share-1", of: "ann"))
        _ = try world.join(guest, "room")
        let elsewhere = try #require(RoomName("elsewhere"))
        for subject in [
            Revoke.Subject.token("t-ben"), .user("ben"), .key("key of ben"),
            .role(of: "ann", in: elsewhere), .role(of: "ben", in: roomName("room")),
        ] {
            let request = root.makeRequest()
            root.send(.revoke(Revoke(request: request, subject)))
            #expect(world.run { root.done.contains(request) })
        }
        #expect(!guest.isClosed)
    }

    @Test("ends with the sharer's key, and counts for it")
    func retiredKey() throws {
        let tokens = TestTokens()
        let world = try makeWorld(tokens)
        tokens.key = "key of ann"
        let guest = try world.greet("g", token: Self.token("share-1", of: "ann"))
        let others = try world.greet("o", token: Self.token("share-2", of: "ben"))
        tokens.key = "next"
        world.server?.keysHaveChanged(
            without: [RetiredKey(id: "key of ann", isReplaced: false)])
        #expect(world.run { trail.all(.retireKey).count == 1 })
        #expect(world.run { guest.isClosed } && !others.isClosed)
        #expect(
            trail.all(.retireKey).map(\.detail) == [
                "key key of ann is removed, connections cut off: 1"
            ])
    }

    @Test("gives all guests of a user half of what the user may have, out of the user's own")
    func quotas() throws {
        let world = try makeWorld {
            $0.users.connections = 6
            $0.users.rooms = 4
            $0.users.newRooms = Rate(perMinute: 1, burst: 4)
        }
        func greet(_ name: String, _ token: String) throws -> RawClient? {
            let client = try world.connect(name)
            client.send(.hello(Hello(token: token)))
            #expect(world.run { client.welcome != nil || client.isClosed })
            return client.welcome == nil ? nil : client
        }
        var guests: [RawClient] = []
        for number in 0..<5 {
            let guest = try greet("g", Self.token("share-\(number)", of: "ann", in: "r\(number)"))
            #expect((guest != nil) == (number < 3), "\(number)")
            if let guest { guests.append(guest) }
        }
        #expect(try greet("o", Self.token("share-9", of: "ben")) != nil)
        let ann = TestTokens.token("ann", "*=admin")
        var own: [RawClient] = []
        for number in 0..<4 {
            let client = try greet("a\(number)", ann)
            #expect((client != nil) == (number < 3), "\(number)")
            if let client { own.append(client) }
        }
        // Of the rooms, and of the new ones, too.
        #expect(code(of: guests[0], in: world, joining: "r0") == nil)
        #expect(code(of: guests[1], in: world, joining: "r1") == nil)
        #expect(code(of: guests[2], in: world, joining: "r2") == .userLimit)
        #expect(code(of: own[0], in: world, joining: "s0") == nil)
        #expect(code(of: own[0], in: world, joining: "s1") == nil)
        #expect(code(of: own[0], in: world, joining: "s2") == .userLimit)
        guests[1].close()
        world.run(forMilliseconds: 100)
        #expect(code(of: guests[2], in: world, joining: "r2") == .userLimit, "too many new rooms")
    }

    @Test("leaves the trail each user's entrance and leaving, with the sharer")
    func trailOfGuests() throws {
        let world = try makeWorld()
        let guest = try world.greet("g", token: Self.token("share-1", of: "ann"))
        let room = try world.join(guest, "room")
        guest.send(.leave(Leave(request: guest.makeRequest(), room: room)))
        world.run(forMilliseconds: 100)
        _ = try world.join(guest, "room")
        guest.close()
        #expect(world.run { trail.all(.leave).count == 2 })
        for kind in [AuditEvent.Kind.signIn, .join, .leave] {
            #expect(!trail.all(kind).isEmpty)
            for event in trail.all(kind) {
                #expect(event.user == "share-1" && event.sharer == "ann" && event.code == nil)
                #expect(event.room == (kind == .signIn ? nil : RoomName("room")))
            }
        }
    }
}

/// A user whose role in a room is taken back.
@Suite("A role that is taken back")
struct RevokedRoleTests {
    @Test("ends the user's connections, which come back without it")
    func ofAUser() throws {
        let world = try World {
            $0.tokens = TokenAuthentication(TestTokens())
            $0.tokens?.areTakenFromAnywhere = true
        }
        let token = TestTokens.token("ann", "*=admin")
        let ann = try world.greet("a", token: token)
        let room = try world.join(ann, "room")
        let ben = try world.greet("b", token: TestTokens.token("ben", "*=admin"))
        _ = try world.join(ben, "other")
        let viewer = try world.greet("v", token: TestTokens.token("ann", "other=viewer"))
        var revocations = Revocations()
        revocations.insert(.role(of: "ann", in: roomName("room"), through: 1 << 40))
        world.server?.revoke(revocations)
        #expect(world.run { ann.isClosed })
        #expect(ann.troubles[room] == nil && !ben.isClosed)
        #expect(!viewer.isClosed, "it has no role there")
        let again = try world.greet("a", token: token)
        let request = again.join("room")
        #expect(world.run { again.errors[.request(request)]?.code == .notAllowed })
        _ = try world.join(again, "other")
        again.send(.listRooms(ListRooms(request: again.makeRequest())))
        #expect(world.run { !again.roomLists.isEmpty })
        #expect(again.roomLists.first?.rooms.map(\.name.text) == ["other"])
        let revoke = again.makeRequest()
        again.send(.revoke(Revoke(request: revoke, .user("ben"))))
        #expect(world.run { again.errors[.request(revoke)]?.code == .notAllowed })
    }
}
