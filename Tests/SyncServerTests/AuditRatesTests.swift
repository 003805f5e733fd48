import SyncModel
import SyncServer
import Testing

/// How many events of one origin an audit trail gets.
@Suite("An audit trail")
struct AuditRatesTests {
    @Test("never leaves out what took something away, whoever did it how often")
    func neverLeftOut() {
        var rates = AuditRates()
        let kinds: [AuditEvent.Kind] = [.deleteRoom, .revoke, .retireKey, .purge, .restore]
        for _ in 0..<AuditRates.deeds.burst + 10 {
            for kind in kinds {
                let event = AuditEvent(kind, time: 0, user: "ann")
                #expect(rates.take(event, at: 0) == event)
            }
        }
        let refused = AuditEvent(.revoke, time: 0, user: "ann", code: .notAllowed)
        for _ in 0..<AuditRates.refusals.burst { _ = rates.take(refused, at: 0) }
        #expect(rates.take(refused, at: 0) == nil)
    }

    @Test("has a rate for each user: many who sign in hide no other")
    func manyUsers() {
        var rates = AuditRates()
        for user in 0..<1000 {
            for _ in 0..<2 {
                let name = UserName(stringLiteral: "user \(user)")
                let event = AuditEvent(.signIn, time: 0, user: name)
                #expect(rates.take(event, at: 0) == event)
            }
        }
    }
}
