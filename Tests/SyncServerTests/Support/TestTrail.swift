import SyncServer

/// A trail that tests can read.
final class TestTrail: AuditTrail, @unchecked Sendable {
    // Sendable, as a simulation has one thread.
    private(set) var events: [AuditEvent] = []

    func note(_ event: AuditEvent) { events.append(event) }

    func all(_ kind: AuditEvent.Kind) -> [AuditEvent] { events.filter { $0.kind == kind } }
}
