import SyncAccess
import SyncIO
import SyncModel
import SyncWire

/// What a server notes in its trail.
final class Audit: Sendable {
    private struct State {
        var rates = AuditRates()
        var reported: UInt64 = 0
    }

    private let trail: any AuditTrail
    private let state = Monitor(State())

    /// How often events that were left out are noted.
    private static let reportMilliseconds: UInt64 = 60_000

    init(_ trail: any AuditTrail) {
        self.trail = trail
    }

    func note(_ event: AuditEvent, at now: UInt64) {
        if let event = state.withLock({ $0.rates.take(event, at: now) }) { trail.note(event) }
    }

    /// Notes what was left out, if it is time.
    func report(at now: UInt64) {
        let events = state.withLock { state -> [AuditEvent] in
            guard now >= state.reported &+ Audit.reportMilliseconds else { return [] }
            state.reported = now
            return state.rates.takeLeftOut(at: now)
        }
        for event in events { trail.note(event) }
    }

    /// Notes what was left out until the end.
    func finish() {
        for event in state.withLock({ $0.rates.takeLeftOut(at: $0.reported) }) { trail.note(event) }
    }
}

extension Session {
    /// Something that this connection does; `nil` if there is no trail.
    func event(
        _ kind: AuditEvent.Kind, in room: RoomName? = nil, _ code: ErrorCode? = nil,
        _ detail: String = ""
    ) -> AuditEvent? {
        guard loop.context.audit != nil else { return nil }
        return AuditEvent(
            kind, time: loop.loop.wallClockMilliseconds, user: user,
            sharer: UserName(principal.access.sharer?.user), address: peer,
            token: principal.access.token?.id, room: room, code: code,
            detail: detail)
    }

    /// Notes something that this connection has done, or why it was refused.
    func note(
        _ kind: AuditEvent.Kind, in room: RoomName? = nil, _ code: ErrorCode? = nil,
        _ detail: String = ""
    ) {
        loop.note(event(kind, in: room, code, detail))
    }

    /// Notes that a token was refused, or none was sent.
    ///
    /// - Parameter bearer: `nil` if nobody knows whose it is.
    func note(
        _ kind: AuditEvent.Kind, _ code: ErrorCode, _ detail: String, of bearer: TokenBearer?
    ) {
        guard var event = event(kind, code, detail) else { return }
        if user.isNobody, let bearer { (event.user, event.sharer) = (bearer.user, bearer.sharer) }
        event.token = bearer?.tokenID
        loop.note(event)
    }
}

extension ServerLoop {
    func note(_ event: AuditEvent?) {
        if let event { context.audit?.note(event, at: loop.nowMilliseconds) }
    }

    /// Notes how something ended that was begun before.
    ///
    /// - Parameter code: why it was refused after all; `nil` if it was done.
    func note(_ event: AuditEvent?, endedWith code: ErrorCode?, _ detail: String? = nil) {
        guard var event else { return }
        event.time = loop.wallClockMilliseconds
        event.code = code
        if let detail { event.detail = detail }
        note(event)
    }
}
