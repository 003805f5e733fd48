import ModelSupport
import ServerSupport
import SyncAccess
import SyncModel
import SyncServer
import SyncWire
import Testing

/// What could keep something out of the audit trail, or push it out.
@Suite("No gap in the audit trail")
struct AuditGapTests {
    private let trail = TestTrail()

    private func makeWorld() throws -> World {
        try World(audit: trail) {
            $0.tokens = TokenAuthentication(TestTokens())
            $0.tokens?.areTakenFromAnywhere = true
        }
    }

    @Test("for a token that is too long to be read")
    func longTokens() throws {
        let world = try makeWorld()
        let long = String(repeating: "x", count: TokenBounds.maximumBytes + 1)
        let stranger = try world.connect("c", from: "192.0.2.9")
        stranger.send(.hello(Hello(token: long)))
        #expect(world.run { stranger.isClosed })
        let refused = try #require(trail.all(.signIn).last)
        #expect(refused.code == .badToken && refused.address.hasPrefix("192.0.2.9:"))
        let ann = try world.greet("a", token: TestTokens.token("ann", "*=editor"))
        let request = ann.makeRequest()
        ann.send(.renew(Renew(request: request, token: long)))
        #expect(world.run { ann.errors[.request(request)] != nil })
        let renewal = try #require(trail.all(.renew).last)
        #expect(renewal.code == .badToken && renewal.user == "ann")
    }

    @Test("for a deletion that is asked for again and again: it is there once for certain")
    func repeatedDeletions() throws {
        let world = try makeWorld()
        let ann = try world.greet("a", token: TestTokens.token("ann", "*=admin"))
        _ = try world.join(ann)
        let requests = (0..<40).map { _ in ann.makeRequest() }
        for request in requests {
            ann.send(.deleteRoom(RoomRequest(request: request, room: roomName("room"))))
        }
        #expect(
            world.run {
                requests.allSatisfy { ann.done.contains($0) || ann.errors[.request($0)] != nil }
            })
        let events = trail.all(.deleteRoom).filter { $0.code == nil }
        #expect(events.count > 1)
        #expect(events.count(where: \.isNeverLeftOut) == 1 && events[0].isNeverLeftOut)
    }

    @Test("for whoever leaves a room, or is put out of it")
    func leaving() throws {
        let world = try makeWorld()
        let ann = try world.greet("a", token: TestTokens.token("ann", "*=admin"))
        _ = try world.join(ann, "one")
        let two = try world.join(ann, "two")
        ann.send(.leave(Leave(request: ann.makeRequest(), room: two)))
        world.run(forMilliseconds: 100)
        #expect(trail.all(.leave).map(\.room?.text) == ["two"])
        ann.send(.deleteRoom(RoomRequest(request: ann.makeRequest(), room: roomName("one"))))
        #expect(world.run { trail.all(.leave).count == 2 })
        #expect(trail.all(.leave).last?.room?.text == "one")
        #expect(trail.all(.leave).last?.detail != "")
        ann.close()
        world.run(forMilliseconds: 100)
        #expect(trail.all(.join).count == 2 && trail.all(.leave).count == 2)
    }
}
