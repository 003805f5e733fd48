package import SyncAccess
import SyncIO
import SyncRoom
import SyncWire

/// Keeps revocations where they outlast the server.
package protocol RevocationLog: Sendable {
    /// Makes a revocation durable.
    ///
    /// - Parameter completion: called once, on any thread, with why it could not be done.
    func add(_ revocation: Revocation, completion: @escaping @Sendable (RevocationFailure?) -> Void)
}

/// Why a revocation is not kept.
package enum RevocationFailure: Error, Sendable {
    /// There are too many.
    case full
    /// It can't be written now.
    case unavailable
}

/// Takes access back, on all loops: first their connections are cut off, then their rooms drop what
/// these have sent.
private final class RevocationRound: Sendable {
    private let loops: [LoopHandle]
    private let cutOff = Monitor<Set<ConnectionID>>([])
    private let done: @Sendable () -> Void

    init(on loops: [LoopHandle], then done: @escaping @Sendable () -> Void) {
        self.loops = loops
        self.done = done
    }

    /// - Parameter revocations: apply to all who sign in from now on.
    func begin(
        adopting revocations: Revocations?, where isRevoked: @escaping @Sendable (Access) -> Bool
    ) {
        let countdown = Countdown(loops.count) { [self] in dropTransactions() }
        for handle in loops {
            handle.post { [self] loop in
                if let revocations { loop.connections.revocations.formUnion(revocations) }
                loop.cutOff(where: isRevoked) { [self] id in
                    cutOff.withLock { _ = $0.insert(id) }
                } then: {
                    countdown.count()
                }
            }
        }
    }

    /// By now each room knows that these connections have left.
    private func dropTransactions() {
        let ids = cutOff.withLock { $0 }
        if ids.isEmpty { return done() }
        let countdown = Countdown(loops.count, done)
        for handle in loops {
            handle.post { loop in loop.dropTransactions(of: ids) { countdown.count() } }
        }
    }
}

extension Server {
    /// Takes access back. May be called on any thread, once all loops have started, and repeatedly.
    ///
    /// - Parameters:
    ///   - revocations: are added to those that the server has.
    ///   - done: called on any thread when it holds: nothing more is handed to a revoked
    ///     connection, and what it has sent is durable or will never be. It is not called if the
    ///     server ends before.
    package func revoke(
        _ revocations: Revocations, then done: @escaping @Sendable () -> Void = {}
    ) {
        context.revoke(revocations, on: loops.withLock { $0 }, then: done)
    }

    /// Ends the connections whose token was signed by another key than these.
    package func keepOnly(keys ids: Set<String>) {
        context.cutOff(on: loops.withLock { $0 }, then: {}) { access in
            access.token.map { !ids.contains($0.key) } ?? false
        }
    }
}

extension ServerContext {
    fileprivate func revoke(
        _ new: Revocations, on loops: [LoopHandle], then done: @escaping @Sendable () -> Void
    ) {
        let all = revocations.withLock { known in
            if !known.formUnion(new) {
                log.log(
                    .error, "there are too many revocations",
                    ["most": "\(Revocations.maximumCount)"])
            }
            return known
        }
        cutOff(on: loops, adopting: all, then: done) { all.cover($0) }
    }

    fileprivate func cutOff(
        on loops: [LoopHandle], adopting revocations: Revocations? = nil,
        then done: @escaping @Sendable () -> Void,
        where isRevoked: @escaping @Sendable (Access) -> Bool
    ) {
        RevocationRound(on: loops, then: done).begin(adopting: revocations, where: isRevoked)
    }
}

extension ServerLoop {
    /// How many connections, and how many rooms, one piece of work looks at.
    private static let checkedPerPiece = 64

    /// - Parameter didCutOff: called with each connection that was cut off.
    fileprivate func cutOff(
        where isRevoked: @escaping (Access) -> Bool,
        _ didCutOff: @escaping (ConnectionID) -> Void, then done: @escaping () -> Void
    ) {
        // Backwards, as in `watchSessions`.
        var left = connections.sessions.count
        inPieces { [self] in
            let end = min(left, connections.sessions.count)
            left = max(0, end - ServerLoop.checkedPerPiece)
            for session in connections.sessions[left..<end].reversed()
            where isRevoked(session.principal.access) {
                session.cutOff()
                didCutOff(session.id)
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
        var hosts = Array(hosts.all)
        let countdown = Countdown(hosts.count + 1, done)
        inPieces { [self] in
            for host in hosts.suffix(ServerLoop.checkedPerPiece) {
                host.room.dropTransactions(of: ids)
                touch(host)
                host.waitForStore(through: nil) { countdown.count() }
            }
            hosts.removeLast(min(hosts.count, ServerLoop.checkedPerPiece))
            if hosts.isEmpty { countdown.count() }
            return !hosts.isEmpty
        }
    }
}

extension Session {
    /// Ends the connection at once: nothing more is written to it, not even why.
    fileprivate func cutOff() {
        if phase == .closed { return }
        phase = .leaving
        loop.context.log.log(.info, "a connection is revoked", ["peer": peer, "user": user])
        outbox.removeAll()
        inbox.buffered = []
        inbox.early = nil
        leaveRooms()
        stream.close()
    }

    /// Takes access back at the request of an admin of all rooms.
    func revoke(_ revoke: Revoke) {
        guard let log = configuration.tokens?.revocationLog else {
            return refuse(revoke.request, .unsupported, "this server keeps no revocations")
        }
        guard begin(revoke.request, on: loop.index) else { return }
        let now = loop.loop.wallClockMilliseconds / 1000
        let revocation: Revocation =
            switch revoke.subject {
            case .token(let id): .token(id)
            case .user(let name): .user(name, through: now)
            case .key(let id): .key(id)
            case .all: .all(through: now)
            }
        let (id, request, post) = (id, revoke.request, loop.peers[loop.index])
        loop.context.log.log(
            .warning, "access is revoked",
            ["by": user, "peer": peer, "what": revocation.line(at: now)])
        log.add(revocation) { failure in
            post.post { loop in
                if let failure { return loop.answer(id, request, ServerMessage(failure, request)) }
                var set = Revocations()
                set.insert(revocation)
                loop.context.revoke(set, on: loop.peers) {
                    post.post { $0.answer(id, request, .done(Done(request: request))) }
                }
            }
        }
    }
}

extension ServerLoop {
    fileprivate func answer(_ id: ConnectionID, _ request: RequestID, _ message: ServerMessage) {
        connections[id]?.finish(request, with: message)
    }
}

extension ServerMessage {
    fileprivate init(_ failure: RevocationFailure, _ request: RequestID) {
        let error: ErrorMessage =
            switch failure {
            case .full:
                ErrorMessage(
                    .limitExceeded, "there are \(Revocations.maximumCount) revocations already",
                    about: .request(request))
            case .unavailable:
                ErrorMessage(
                    .unavailable, "the revocation can't be written now", about: .request(request))
            }
        self = .error(error)
    }
}

extension RoomHost {
    /// Waits until what was applied until now is durable, or never will be.
    ///
    /// - Parameter sequence: the last record with it; `nil` while a worker may still be applying
    ///   something.
    fileprivate func waitForStore(through sequence: UInt64?, _ done: @escaping () -> Void) {
        var sequence = sequence
        switch room.place {
        case .opening, .reopening, .deleting, .gone: return done()
        case .away: break
        case .here:
            let last = sequence ?? room.lastSequence
            if room.durableSequence >= last { return done() }
            sequence = last
        }
        loop.schedule(afterMilliseconds: 1) { [weak self] in
            guard let self else { return done() }
            waitForStore(through: sequence, done)
        }
    }
}
