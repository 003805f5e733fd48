package import SyncAccess
import SyncIO
import SyncModel
import SyncRoom
import SyncWire
import Synchronization

/// Keeps revocations where they outlast the server.
package protocol RevocationLog: Sendable {
    /// Makes a revocation durable.
    ///
    /// - Parameter completion: called once, on any thread, with why it could not be done.
    func add(_ revocation: Revocation, completion: @escaping @Sendable (RevocationFailure?) -> Void)
}

/// What is taken back, and how more is.
package struct RevocationPolicy: Sendable {
    /// What is taken back already when the server begins.
    package var revoked = Revocations()
    /// Keeps what is taken back at an admin's request; without it there are no such requests.
    package var log: (any RevocationLog)?
}

/// Why a revocation is not kept.
package enum RevocationFailure: Error, Sendable {
    /// There are too many, of all or of a user's roles.
    case full
    /// It can't be written now.
    case unavailable
}

/// Takes access back, on all loops: first their connections are cut off, then their rooms drop what
/// these have sent.
private final class RevocationRound: Sendable {
    private let loops: [LoopHandle]
    private let cutOff = Monitor<Set<ConnectionID>>([])
    private let didCutOff: @Sendable (Access) -> Void
    private let areCutOff: @Sendable () -> Void
    private let done: @Sendable () -> Void

    /// - Parameters:
    ///   - didCutOff: called on its loop for each connection that is cut off, with its access;
    ///     not for those that were about to end before.
    ///   - areCutOff: called on any thread once all of them are.
    init(
        on loops: [LoopHandle], didCutOff: @escaping @Sendable (Access) -> Void = { _ in },
        areCutOff: @escaping @Sendable () -> Void = {}, then done: @escaping @Sendable () -> Void
    ) {
        self.loops = loops
        self.didCutOff = didCutOff
        self.areCutOff = areCutOff
        self.done = done
    }

    /// Who signs in from now on must be kept away already.
    func begin(where isRevoked: @escaping @Sendable (Access) -> Bool) {
        let countdown = Countdown(loops.count) { [self] in dropTransactions() }
        for handle in loops {
            handle.post { [self] loop in
                loop.cutOff(where: isRevoked) { [self] session, wasOpen in
                    _ = cutOff.withLock { $0.insert(session.id) }
                    if wasOpen { didCutOff(session.principal.access) }
                } then: {
                    countdown.count()
                }
            }
        }
    }

    /// By now each room knows that these connections have left.
    private func dropTransactions() {
        areCutOff()
        let ids = cutOff.withLock { $0 }
        if ids.isEmpty { return done() }
        let countdown = Countdown(loops.count, done)
        for handle in loops {
            handle.post { loop in loop.dropTransactions(of: ids) { countdown.count() } }
        }
    }
}

extension Server {
    /// Takes access back that no admin has asked to take back by a request. May be called on any
    /// thread, once all loops have started, and repeatedly.
    ///
    /// - Parameters:
    ///   - revocations: are added to those that the server has. Those that it knows already have no
    ///     effect.
    ///   - done: called on any thread when the new ones hold: nothing more is handed to a revoked
    ///     connection, and what it has sent is durable or will never be. It is not called if the
    ///     server ends before.
    package func revoke(
        _ revocations: Revocations, then done: @escaping @Sendable () -> Void = {}
    ) {
        let loops = loops.withLock { $0 }
        let new = context.revocations.unknown(of: revocations)
        context.note(new, on: loops)
        if !context.revocations.add(revocations) {
            context.log.log(
                .error, "there are too many revocations",
                ["most": "\(Revocations.maximumCount)"])
        }
        context.cutOff(Revocations(new), on: loops, then: done)
    }

    /// Ends the connections whose tokens were signed by keys that the verifier does not have any
    /// more. May be called on any thread, and repeatedly.
    ///
    /// - Parameter retired: the keys that are gone, for the audit trail.
    package func keysHaveChanged(without retired: [RetiredKey]) {
        guard let verifier = context.configuration.tokens?.verifier else { return }
        let loops = loops.withLock { $0 }
        let round = RevocationRound(on: loops) { [context] access in
            let gone = access.keys.first { !verifier.knowsKey($0.id, mark: $0.mark) }
            if let gone { context.cutOffByKey.count(gone.id, mark: gone.mark) }
        } areCutOff: { [context] in
            context.note(retired, on: loops)
        } then: {
        }
        round.begin { !verifier.knowsKeys(of: $0) }
    }
}

extension ServerContext {
    /// Notes revocations that the server has not had.
    fileprivate func note(_ new: [Revocation], on loops: [LoopHandle]) {
        guard audit != nil, !new.isEmpty, let first = loops.first else { return }
        first.post { $0.note(new) }
    }

    /// Notes keys that are gone, once none of their connections is left.
    fileprivate func note(_ retired: [RetiredKey], on loops: [LoopHandle]) {
        let counts = retired.map { ($0, cutOffByKey.take($0)) }
        guard audit != nil, !retired.isEmpty, let first = loops.first else { return }
        first.post { loop in
            for (key, count) in counts {
                let what = key.isReplaced ? "replaced" : "removed"
                let now = loop.loop.wallClockMilliseconds
                let detail = "key \(key.id) is \(what), connections cut off: \(count)"
                loop.note(AuditEvent(.retireKey, time: now, detail: detail))
            }
        }
    }

    /// Cuts off the connections that new revocations concern. These must be in the table already,
    /// so that nobody whom they concern signs in again.
    fileprivate func cutOff(
        _ new: Revocations, on loops: [LoopHandle], then done: @escaping @Sendable () -> Void
    ) {
        RevocationRound(on: loops, then: done).begin { access in
            new.remainder(of: access).map { $0.roles != access.roles } ?? true
        }
    }
}

/// The revocations of a server, which all loops read. Adding to them takes no loop's time: it is
/// done on a copy.
final class RevocationTable: Sendable {
    private let current: Monitor<Revocations>
    private let adding = Monitor(())

    init(_ revocations: Revocations) {
        current = Monitor(revocations)
    }

    /// What is left of access; `nil` if it is taken back.
    func remainder(of access: Access) -> Access? {
        current.withLock { $0 }.remainder(of: access)
    }

    /// Those among others that it does not have.
    func unknown(of others: Revocations) -> [Revocation] {
        others.missing(in: current.withLock { $0 })
    }

    /// Adds a revocation that nobody has written before. Returns whether it fits.
    func insert(_ revocation: Revocation) -> Bool { change { $0.insert(revocation) } }

    /// Adds revocations that somebody has written. Returns whether all of them fit.
    func add(_ new: Revocations) -> Bool { change { $0.formUnion(new) } }

    private func change(_ body: (inout Revocations) -> Bool) -> Bool {
        adding.withLock { _ in
            var all = current.withLock { $0 }
            let fit = body(&all)
            current.withLock { [all] in $0 = all }
            return fit
        }
    }
}

extension ServerLoop {
    /// How many connections, rooms or revocations one piece of work looks at.
    private static let checkedPerPiece = 16

    /// Notes revocations that are nobody's request.
    fileprivate func note(_ revocations: [Revocation]) {
        var left = revocations[...]
        inPieces { [self] in
            let now = loop.wallClockMilliseconds
            for revocation in left.prefix(ServerLoop.checkedPerPiece) {
                let line = revocation.line(at: now / 1000)
                note(AuditEvent(.revoke, time: now, detail: "\(line), not by a request"))
            }
            left = left.dropFirst(ServerLoop.checkedPerPiece)
            return !left.isEmpty
        }
    }

    /// - Parameter didCutOff: called with each connection that was cut off.
    fileprivate func cutOff(
        where isRevoked: @escaping (Access) -> Bool,
        _ didCutOff: @escaping (Session, _ wasOpen: Bool) -> Void, then done: @escaping () -> Void
    ) {
        // Backwards, as in `watchSessions`.
        var left = connections.sessions.count
        inPieces { [self] in
            let end = min(left, connections.sessions.count)
            left = max(0, end - ServerLoop.checkedPerPiece)
            for session in connections.sessions[left..<end].reversed()
            where isRevoked(session.principal.access) {
                budget.spend(WorkCost.leave.steps(1 + session.memberships.count))
                didCutOff(session, session.cutOff())
            }
            if left == 0 { done() }
            return left > 0
        }
    }

    /// - Parameter done: called when all that was applied until now is durable, or never will be.
    fileprivate func dropTransactions(
        of ids: Set<ConnectionID>, then done: @escaping @Sendable () -> Void
    ) {
        // A room that is opened meanwhile has nothing of them.
        let hosts = Array(hosts.all)
        var next = 0
        inPieces { [self] in
            guard next < hosts.count else {
                waitForStore(hosts.map { StoreWait(host: $0) }, done)
                return false
            }
            let dropped = hosts[next].room.dropTransactions(of: ids)
            budget.spend(WorkCost.answer.steps(dropped))
            touch(hosts[next])
            next += 1
            return true
        }
    }

    /// Waits until what was applied in rooms is durable, or never will be.
    private func waitForStore(_ rooms: [StoreWait], _ done: @escaping @Sendable () -> Void) {
        var (rooms, left) = (rooms, [StoreWait]())
        inPieces { [self] in
            for var room in rooms.suffix(ServerLoop.checkedPerPiece) where !room.isOver() {
                left.append(room)
            }
            rooms.removeLast(min(rooms.count, ServerLoop.checkedPerPiece))
            guard rooms.isEmpty else { return true }
            if left.isEmpty {
                done()
            } else {
                loop.schedule(afterMilliseconds: 1) { [weak self] in
                    self?.waitForStore(left, done)
                }
            }
            return false
        }
    }
}

/// Until what was applied in a room until now is durable, or never will be.
private struct StoreWait {
    let host: RoomHost
    /// The last record with it; `nil` while a worker may still be applying something.
    var sequence: UInt64?

    mutating func isOver() -> Bool {
        switch host.room.place {
        case .opening, .reopening, .deleting, .gone: return true
        case .away: return false
        case .here:
            let last = sequence ?? host.room.lastSequence
            sequence = last
            return host.room.durableSequence >= last
        }
    }
}

extension Session {
    /// Ends the connection at once: nothing more is written to it, not even why.
    ///
    /// - Returns: whether it was not about to end.
    fileprivate func cutOff() -> Bool {
        if phase == .closed { return false }
        let wasOpen = phase != .leaving
        phase = .leaving
        loop.context.log.log(.info, "a connection is revoked", ["peer": peer, "user": user.text])
        outbox.removeAll()
        inbox.buffered = []
        inbox.early = nil
        leaveRooms()
        stream.close()
        transport.connection?.close()
        return wasOpen
    }

    /// Takes access back at the request of an admin of all rooms.
    func revoke(_ revoke: Revoke) {
        guard let log = configuration.revocation.log else {
            note(revoke, .unsupported)
            return refuse(revoke.request, .unsupported, "this server keeps no revocations")
        }
        guard begin(revoke.request, on: loop.index) else { return }
        let now = loop.loop.wallClockMilliseconds / 1000
        let revocation = Revocation(revoke.subject, at: now)
        let line = revocation.line(at: now)
        let (id, request, peers, post) =
            (id, revoke.request, loop.peers, loop.peers[loop.index])
        loop.context.log.log(
            .warning, "access is revoked", ["by": user.text, "peer": peer, "what": line])
        log.add(revocation) { [context = loop.context, event = event(.revoke, nil, line)] failure in
            var failure = failure
            // At once, so that nobody takes it for one that is nobody's request.
            if failure == nil, !context.revocations.insert(revocation) { failure = .full }
            if let failure {
                let error = ErrorMessage(failure, request)
                return post.post { loop in
                    loop.note(event, endedWith: error.code)
                    loop.answer(id, request, .error(error))
                }
            }
            post.post { $0.note(event, endedWith: nil) }
            context.cutOff(Revocations([revocation]), on: peers) {
                post.post { $0.answer(id, request, .done(Done(request: request))) }
            }
        }
    }

    /// Notes that access was not taken back.
    func note(_ revoke: Revoke, _ code: ErrorCode) {
        let now = loop.loop.wallClockMilliseconds / 1000
        note(.revoke, code, Revocation(revoke.subject, at: now).line(at: now))
    }
}

extension Revocation {
    /// - Parameter now: the last tokens of a user, or of all, that are revoked.
    fileprivate init(_ subject: Revoke.Subject, at now: UInt64) {
        self =
            switch subject {
            case .token(let id): .token(id)
            case .user(let name): .user(name, through: now)
            case .role(let name, let room): .role(of: name, in: room, through: now)
            case .key(let id): .key(id)
            case .all: .all(through: now)
            }
    }
}

extension ServerLoop {
    fileprivate func answer(_ id: ConnectionID, _ request: RequestID, _ message: ServerMessage) {
        connections[id]?.finish(request, with: message)
    }
}

extension ErrorMessage {
    fileprivate init(_ failure: RevocationFailure, _ request: RequestID) {
        switch failure {
        case .full:
            self.init(
                .limitExceeded,
                "there are \(Revocations.maximumCount) revocations already, or "
                    + "\(Revocations.maximumRolesOfUser) roles of this user: revoke the user",
                about: .request(request))
        case .unavailable:
            self.init(
                .unavailable, "the revocation can't be written now", about: .request(request))
        }
    }
}
