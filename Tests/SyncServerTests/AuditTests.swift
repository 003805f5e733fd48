import ModelSupport
import ServerSupport
import SyncAccess
import SyncModel
import SyncRoom
import SyncServer
import SyncSim
import SyncWire
import Testing

/// Revocations that tests can make fail.
private final class TestRevocations: RevocationLog, @unchecked Sendable {
    // Sendable, as a simulation has one thread.
    var failure: RevocationFailure?

    func add(
        _ revocation: Revocation, completion: @escaping @Sendable (RevocationFailure?) -> Void
    ) {
        completion(failure)
    }
}

/// The audit trail has each join, refusal and deletion with its user and its address, whatever
/// strangers do.
@Suite("The audit trail")
struct AuditTests {
    private let trail = TestTrail()
    private let revocations = TestRevocations()

    private func makeWorld(
        threads: Int = 1, _ tokens: TestTokens = TestTokens()
    ) throws -> World {
        try World(audit: trail) {
            var authentication = TokenAuthentication(tokens)
            authentication.areTakenFromAnywhere = true
            $0.revocation.log = revocations
            $0.tokens = authentication
            $0.threads = threads
            $0.users.connections = 3
        }
    }

    /// Whether an event is of a user at an address, and as late as it is now.
    private func expect(
        _ event: AuditEvent?, of user: String, at address: String, _ code: ErrorCode? = nil,
        in room: String = "", token: String = "", _ world: World,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let event = try #require(event, sourceLocation: sourceLocation)
        #expect(event.user.text == user, sourceLocation: sourceLocation)
        #expect(
            address.isEmpty ? event.address.isEmpty : event.address.hasPrefix(address + ":"),
            sourceLocation: sourceLocation)
        #expect(event.code == code, sourceLocation: sourceLocation)
        #expect(event.room == RoomName(room), sourceLocation: sourceLocation)
        #expect(event.token?.text ?? "" == token, sourceLocation: sourceLocation)
        #expect(event.leftOut == 0, sourceLocation: sourceLocation)
        let now = 1_700_000_000_000 + world.simulation.nowMicroseconds / 1000
        #expect(event.time <= now && event.time + 2000 > now, sourceLocation: sourceLocation)
    }

    @Test("has each sign-in and join, with the user, the address and the token's id")
    func joins() throws {
        for threads in [1, 3] {
            let world = try makeWorld(threads: threads)
            let ann = try world.greet(
                "a", from: "192.0.2.1", token: TestTokens.token("ann", "*=editor", id: "t-1"))
            try expect(
                trail.all(.signIn).last, of: "ann", at: "192.0.2.1", token: "t-1", world)
            _ = try world.join(ann)
            let joined = trail.all(.join).last
            try expect(joined, of: "ann", at: "192.0.2.1", in: "room", token: "t-1", world)
            #expect(joined?.detail == "a")
        }
    }

    @Test(
        "has each refused sign-in with its code, and never the token",
        arguments: [
            ("", ErrorCode.needsToken, ""), ("broken", .badToken, ""), ("unknown", .unknownKey, ""),
            ("revoked", .tokenRevoked, ""), ("ann:*=viewer:1:t-1", .tokenExpired, "ann"),
        ])
    func refusedSignIn(token: String, code: ErrorCode, user: String) throws {
        let world = try makeWorld()
        let client = try world.connect("c", from: "192.0.2.9")
        client.send(.hello(Hello(token: token)))
        #expect(world.run { client.isClosed })
        #expect(trail.events.count == 1)
        try expect(
            trail.events.first, of: user, at: "192.0.2.9", code, token: user.isEmpty ? "" : "t-1",
            world)
        #expect(token.isEmpty || !"\(trail.events)".contains("\(token)\""))
    }

    @Test("has refused joins, reads, edits, deletions and renewals with their codes")
    func refusals() throws {
        let world = try makeWorld()
        let owner = try world.greet("o", token: TestTokens.token("own", "*=admin"))
        _ = try world.join(owner)
        let eve = try world.greet(
            "e", from: "192.0.2.2", token: TestTokens.token("eve", "room=viewer", id: "t-2"))
        let room = try world.join(eve)
        func check(
            _ kind: AuditEvent.Kind, _ code: ErrorCode, in room: String,
            _ send: (RequestID) throws -> Void
        ) throws {
            let before = trail.all(kind).count
            try send(eve.makeRequest())
            #expect(world.run { trail.all(kind).count > before }, "\(kind)")
            try expect(
                trail.all(kind).last, of: "eve", at: "192.0.2.2", code, in: room, token: "t-2",
                world)
            world.run(forMilliseconds: 100)
            #expect(trail.all(kind).count == before + 1, "\(kind)")
        }
        try check(.join, .notAllowed, in: "other") { _ in _ = eve.join("other") }
        try check(.deleteRoom, .notAllowed, in: "room") {
            eve.send(.deleteRoom(RoomRequest(request: $0, room: try #require(RoomName("room")))))
        }
        try check(.read, .notAllowed, in: "other") {
            eve.send(.readStats(RoomRequest(request: $0, room: try #require(RoomName("other")))))
        }
        try check(.edit, .notAllowed, in: "room") { _ in eve.submit(1, in: room, [.insert("a")]) }
        let before = trail.events.count
        eve.send(.renew(Renew(request: eve.makeRequest(), token: "revoked")))
        #expect(world.run { trail.events.count > before })
        try expect(trail.events.last, of: "eve", at: "192.0.2.2", .tokenRevoked, world)
        #expect(trail.events.last?.kind == .renew && !eve.isClosed)
    }

    @Test("has joins that a room refuses, and sign-ins beyond a user's connections")
    func limits() throws {
        let world = try makeWorld()
        let ann = try world.greet("c", token: TestTokens.token("ann", "*=editor"))
        _ = try world.join(ann, secret: [1])
        let ben = try world.greet(
            "c", from: "192.0.2.3", token: TestTokens.token("ben", "*=editor"))
        _ = ben.join("room", secret: [2])
        #expect(world.run { trail.all(.join).count == 2 })
        try expect(
            trail.all(.join).last, of: "ben", at: "192.0.2.3", .badSecret, in: "room", token: "t",
            world)
        for _ in 0..<2 { _ = try world.greet("x", token: TestTokens.token("ann", "*=editor")) }
        let more = try world.connect("y", from: "192.0.2.4")
        more.send(.hello(Hello(token: TestTokens.token("ann", "*=editor"))))
        #expect(world.run { more.isClosed })
        try expect(
            trail.all(.signIn).last, of: "ann", at: "192.0.2.4", .tooManyConnections, token: "t",
            world)
    }

    @Test("has deletions when they are done, also of clients that are gone, and failed ones")
    func deletions() throws {
        for threads in [1, 3] {
            let world = try makeWorld(threads: threads)
            let ann = try world.greet(
                "a", from: "192.0.2.5", token: TestTokens.token("ann", "*=admin", id: "t-5"))
            let room = try world.join(ann)
            ann.submit(1, in: room, [.insert("a")])
            #expect(world.run { ann.answer(1, in: room) != nil })
            let before = trail.all(.deleteRoom).count
            let name = try #require(RoomName("room"))
            ann.send(.deleteRoom(RoomRequest(request: ann.makeRequest(), room: name)))
            world.run(forMilliseconds: 1)
            ann.close()
            #expect(world.run { trail.all(.deleteRoom).count > before })
            try expect(
                trail.all(.deleteRoom).last, of: "ann", at: "192.0.2.5", in: "room", token: "t-5",
                world)
            #expect(try world.storage.open(room: roomName("room")) == nil)
            let ben = try world.greet(
                "b", from: "192.0.2.6", token: TestTokens.token("ben", "*=admin"))
            ben.send(.deleteRoom(RoomRequest(request: ben.makeRequest(), room: name)))
            #expect(world.run { trail.all(.deleteRoom).count > before + 1 })
            try expect(
                trail.all(.deleteRoom).last, of: "ben", at: "192.0.2.6", .roomNotFound, in: "room",
                token: "t", world)
        }
    }

    @Test("has revocations and refused ones with the admin who asked, and never a token")
    func revoking() throws {
        for threads in [1, 3] {
            let world = try makeWorld(threads: threads)
            let root = try world.greet(
                "r", from: "192.0.2.5", token: TestTokens.token("root", "*=admin", id: "t-5"))
            let eve = try world.greet(
                "e", from: "192.0.2.6", token: TestTokens.token("eve", "*=editor", id: "t-6"))
            func revoke(
                _ subject: Revoke.Subject, by client: RawClient, _ detail: String,
                _ code: ErrorCode? = nil
            ) throws {
                let before = trail.all(.revoke).count
                client.send(.revoke(Revoke(request: client.makeRequest(), subject)))
                #expect(world.run { trail.all(.revoke).count > before })
                let (user, end) = client === root ? ("root", "5") : ("eve", "6")
                try expect(
                    trail.all(.revoke).last, of: user, at: "192.0.2.\(end)", code,
                    token: "t-\(end)", world)
                #expect(trail.all(.revoke).last?.detail.hasSuffix(detail) == true)
                world.run(forMilliseconds: 100)
                #expect(trail.all(.revoke).count == before + 1)
            }
            try revoke(.all, by: eve, "Z all", .notAllowed)
            revocations.failure = .full
            try revoke(.token("t-6"), by: root, "Z token t-6", .limitExceeded)
            revocations.failure = nil
            #expect(!eve.isClosed)
            try revoke(.token("t-6"), by: root, "Z token t-6")
            #expect(world.run { eve.isClosed })
            // Who comes back is refused by name.
            let again = try world.connect("e", from: "192.0.2.7")
            again.send(.hello(Hello(token: TestTokens.token("eve", "*=editor", id: "t-6"))))
            #expect(world.run { again.isClosed })
            try expect(
                trail.all(.signIn).last, of: "eve", at: "192.0.2.7", .tokenRevoked, token: "t-6",
                world)
        }
    }

    @Test("has revocations that are nobody's request, once each")
    func revocationsFromElsewhere() throws {
        let world = try makeWorld(threads: 2)
        let root = try world.greet("r", token: TestTokens.token("root", "*=admin"))
        root.send(.revoke(Revoke(request: root.makeRequest(), .token("t-1"))))
        #expect(world.run { trail.all(.revoke).count == 1 })
        var all = Revocations()
        all.insert(.token("t-1"))
        all.insert(.user("ann", through: 1_700_000_000))
        for _ in 0..<2 {
            world.server?.revoke(all)
            world.run(forMilliseconds: 100)
        }
        #expect(trail.all(.revoke).count == 2)
        try expect(trail.all(.revoke).last, of: "", at: "", nil, world)
        #expect(
            trail.all(.revoke).last?.detail
                == "2023-11-14T22:13:20Z user ann, not by a request")
        all.insert(.user("ann", through: 1_700_000_001))
        all.insert(.key("k"))
        all.insert(.all(through: 3))
        world.server?.revoke(all)
        world.run(forMilliseconds: 100)
        #expect(trail.all(.revoke).count == 5)
    }

    @Test("has keys of tokens that are gone, with how many connections were cut off")
    func keys() throws {
        for threads in [1, 3] {
            let tokens = TestTokens()
            let world = try makeWorld(threads: threads, tokens)
            for user in ["ann", "ben", "carl"] {
                _ = try world.greet(user, token: TestTokens.token(user, "*=editor"))
            }
            _ = try world.greet(
                "dora",
                token: TestTokens.token(
                    "dora", "*=editor", expires: TestTokens.never, id: "t", key: "next", issued: 0))
            world.server?.keysHaveChanged(without: [])
            world.run(forMilliseconds: 100)
            let before = trail.all(.retireKey).count
            tokens.key = "next"
            world.server?.keysHaveChanged(without: [
                RetiredKey(id: "key", isReplaced: false), RetiredKey(id: "other", isReplaced: true),
            ])
            #expect(world.run { trail.all(.retireKey).count > before + 1 })
            world.run(forMilliseconds: 100)
            let events = trail.all(.retireKey).dropFirst(before)
            #expect(
                events.map(\.detail) == [
                    "key key is removed, connections cut off: 3",
                    "key other is replaced, connections cut off: 0",
                ])
            try expect(events.last, of: "", at: "", nil, world)
        }
    }

    @Test("has refused connections")
    func connections() throws {
        let world = try World(audit: trail) { $0.maximumConnections = 1 }
        _ = try world.greet("a")
        let more = try world.connect("b", from: "192.0.2.8")
        #expect(world.run { more.isClosed })
        try expect(
            trail.all(.connect).last, of: "", at: "192.0.2.8", .tooManyConnections, world)
    }

    @Test("leaves out what a stranger floods it with, counts it, and has what others do")
    func flood() throws {
        let world = try makeWorld()
        let count = 200
        func knock() throws {
            let client = try world.connect("x", from: "192.0.2.66")
            client.send(.hello(Hello(token: "broken")))
            #expect(world.run { client.isClosed })
        }
        let began = world.simulation.nowMicroseconds
        for _ in 0..<count { try knock() }
        let other = try world.connect("o", from: "192.0.2.67")
        other.send(.hello(Hello(token: "revoked")))
        #expect(world.run { other.isClosed })
        try expect(trail.events.last, of: "", at: "192.0.2.67", .tokenRevoked, world)
        let seconds = Int((world.simulation.nowMicroseconds - began) / 1_000_000) + 1
        let most = AuditRates.refusals.burst + seconds
        #expect(trail.all(.signIn).count <= most + 1 && most < count / 2)
        world.run(forMilliseconds: 61_000)
        let told = trail.events.filter { $0.address.hasPrefix("192.0.2.66:") }
        #expect(told.reduce(0) { $0 + 1 + $1.leftOut } == count)
        // Nothing more is said of it.
        let events = trail.events.count
        world.run(forMilliseconds: 200_000)
        #expect(trail.events.count == events)
        world.drain()
        #expect(trail.events.count == events)
    }

    @Test("notes at the end what was left out")
    func end() throws {
        let world = try makeWorld()
        let count = 50
        for _ in 0..<count {
            let client = try world.connect("x", from: "2001:db8::\(1)")
            client.send(.hello(Hello(token: "broken")))
            #expect(world.run { client.isClosed })
        }
        world.drain()
        #expect(trail.events.reduce(0) { $0 + 1 + $1.leftOut } == count)
    }

    @Test("keeps users' refusals apart from those of many strangers, in bounded memory")
    func manyStrangers() {
        var rates = AuditRates()
        var noted = 0
        for number in 0..<20_000 {
            let address = "10.\(number >> 16).\(number >> 8 & 255).\(number & 255):1"
            let event = AuditEvent(.signIn, time: 0, address: address, code: .badToken)
            if rates.take(event, at: 0) != nil { noted += 1 }
        }
        #expect(noted == 256 + AuditRates.refusals.burst)
        let user = AuditEvent(.join, time: 0, user: "ann", room: roomName("r"), code: .notAllowed)
        #expect(rates.take(user, at: 0) == user)
        let rest = rates.takeLeftOut(at: 1)
        #expect(rest.reduce(noted) { $0 + 1 + $1.leftOut } == 20_000 && rest.count == 1)
        // Later, others have rates of their own again.
        _ = rates.takeLeftOut(at: 200_000)
        let late = AuditEvent(.signIn, time: 0, address: "192.0.2.1:1", code: .badToken)
        for _ in 0..<AuditRates.refusals.burst { #expect(rates.take(late, at: 200_000) == late) }
        let other = AuditEvent(.signIn, time: 0, address: "192.0.2.2:1", code: .badToken)
        #expect(rates.take(late, at: 200_000) == nil && rates.take(other, at: 200_000) == other)
    }

    @Test("names rooms by their bytes", arguments: Spellings.rooms)
    func spellings(of room: RoomName) throws {
        let world = try makeWorld()
        let grants = "\(room)=admin"
        let ann = try world.greet(
            "a", from: "192.0.2.1", token: TestTokens.token("ann", grants, id: "t-1"))
        for other in Spellings.rooms where other != room {
            _ = ann.join(other.text)
            #expect(world.run { trail.all(.join).last?.room == other })
            #expect(trail.all(.join).last?.code == .notAllowed)
        }
        _ = try world.join(ann, room.text)
        #expect(trail.all(.join).last?.room == room && trail.all(.join).last?.code == nil)
        let refused = trail.all(.join).filter { $0.room == room && $0.code != nil }
        #expect(refused == [])
    }

    @Test("bounds texts, and counts the addresses of one network in IPv6 together")
    func bounds() {
        let long = String(repeating: "x", count: 5000)
        let event = AuditEvent(
            .join, time: 0, user: "ann", address: long, detail: long)
        for text in [event.address, event.detail] {
            #expect(text.utf8.count <= LogBacklog.maximumTextBytes + 3)
        }
        var rates = AuditRates()
        let noted = (0..<100).count { number in
            let address = "[2001:db8::\(number)]:1"
            let event = AuditEvent(.signIn, time: 0, address: address, code: .badToken)
            return rates.take(event, at: 0) != nil
        }
        #expect(noted == AuditRates.refusals.burst)
    }
}
