import ServerSupport
import SyncModel
import SyncServer
import Testing

/// What the audit trail has of connections whose requests are in rooms for a moment.
@Suite struct VisitTests {
    private final class Trail: AuditTrail, @unchecked Sendable {
        // Sendable, as a simulation has one thread.
        private(set) var events: [AuditEvent] = []

        func note(_ event: AuditEvent) { events.append(event) }

        func rooms(_ kind: AuditEvent.Kind) -> [String?] {
            events.filter { $0.kind == kind }.map(\.room?.text)
        }
    }

    private let trail = Trail()
    private let world: HTTPWorld

    init() throws {
        world = try HTTPWorld(audit: trail)
    }

    private func post(_ id: String, to room: String, by client: HTTPClient) throws {
        let answer = try client.ask(
            "POST", "/v1/rooms/\(room)/transactions", ["Idempotency-Key": id],
            body: #"{"ops":[{"insert":{"item":{"id":"\#(id)"},"to":{"section":"main"}}}]}"#)
        #expect(answer.status == 200, "\(answer.text)")
    }

    /// Each of them joins and leaves.
    @Test func manyPostsAreOneVisit() throws {
        let client = try world.connect()
        for number in 0..<5 {
            try post("a\(number)", to: "one", by: client)
            try post("b\(number)", to: "two", by: client)
        }
        #expect(trail.rooms(.join) == ["one", "two"] && trail.rooms(.leave) == [])
        client.close()
        #expect(world.run { trail.rooms(.leave).count == 2 })
        #expect(trail.rooms(.leave) == ["one", "two"])
    }

    /// What it keeps is bounded.
    @Test func manyRoomsAreManyVisits() throws {
        let client = try world.connect()
        for number in 0..<20 { try post("a", to: "r\(number)", by: client) }
        #expect(trail.rooms(.join).count == 20)
        #expect(trail.rooms(.leave) == ["r0", "r1", "r2", "r3"])
    }
}
