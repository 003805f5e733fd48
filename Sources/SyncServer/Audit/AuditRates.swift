import SyncModel
package import SyncRoom

/// Limits how often most events of one kind come from one user, with all with whom that user shares
/// rooms, or from one address. So nobody can fill the trail, or hide in it what others did.
///
/// Left out events are counted: the last one of each kind and origin is noted within a minute, with
/// the number of the others. If there are more origins than it keeps events of, the rest have one
/// event together.
package struct AuditRates: Sendable {
    package static let refusals = Rate(perMinute: 60, burst: 20)
    /// Of what was done.
    package static let deeds = Rate(perMinute: 60, burst: 1000)

    /// What has a rate: a kind, from the user, or from the address if there is no user.
    private struct Origin: Hashable {
        let kind: AuditEvent.Kind
        let account: AccountKey

        init(of event: AuditEvent) {
            kind = event.kind
            account =
                (event.sharer.name ?? event.user.name).map { .user($0) }
                ?? .address(NetworkAddress(peer: event.address)?.holder ?? .unspecified)
        }
    }

    private struct Group {
        var rates: RateTable<Origin>
        /// The last event of each origin that was left out; `nil` is that of all others.
        var leftOut: [Origin?: AuditEvent] = [:]

        init(_ rate: Rate, origins: Int) {
            rates = RateTable(rate, capacity: origins)
        }

        mutating func take(_ event: AuditEvent, at now: UInt64) -> AuditEvent? {
            let origin = Origin(of: event)
            guard let count = rates.take(origin, at: now) else {
                let counted = rates.counted(origin)
                let isKept = leftOut[counted] != nil || leftOut.count < AuditRates.mostLeftOut
                leftOut[isKept ? counted : nil] = event
                return nil
            }
            var event = event
            event.leftOut = count
            return event
        }

        mutating func takeLeftOut(at now: UInt64) -> [AuditEvent] {
            var counts: [Origin?: Int] = [:]
            for (origin, count) in rates.takeLeftOut() {
                counts[leftOut[origin] == nil ? nil : origin, default: 0] += count
            }
            let events = counts.compactMap { origin, count -> AuditEvent? in
                guard var event = leftOut[origin] else { return nil }
                event.leftOut = count - 1
                return event
            }
            leftOut = [:]
            rates.forgetRare(at: now)
            return events
        }
    }

    // Strangers have a table of their own, as they can use any number of addresses.
    private var strangers = Group(refusals, origins: 256)
    private var refused = Group(refusals, origins: userOrigins)
    private var done = Group(deeds, origins: userOrigins)

    /// How many kinds and users have a rate of their own: as many as there are accounts of users.
    package static let userOrigins = 16_384
    /// Of how many origins in a table the last left out event is kept. An event has at most some
    /// KiB, so all have some MiB.
    package static let mostLeftOut = 1024

    package init() {}

    /// Counts an event.
    ///
    /// - Parameter now: milliseconds that never go back.
    /// - Returns: the event with the number of those before it that were left out; `nil` if it is
    ///   left out, too.
    package mutating func take(_ event: AuditEvent, at now: UInt64) -> AuditEvent? {
        if event.isNeverLeftOut { return event }
        if event.isOfStranger { return strangers.take(event, at: now) }
        return event.code == nil ? done.take(event, at: now) : refused.take(event, at: now)
    }

    /// Returns the last left out event of each kind and origin, the oldest first. Forgets origins
    /// that are quiet.
    package mutating func takeLeftOut(at now: UInt64) -> [AuditEvent] {
        let events =
            strangers.takeLeftOut(at: now) + refused.takeLeftOut(at: now)
            + done.takeLeftOut(at: now)
        return events.sorted { ($0.time, $0.address) < ($1.time, $1.address) }
    }
}
