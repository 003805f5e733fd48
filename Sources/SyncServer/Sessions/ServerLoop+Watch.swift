import SyncIO
import SyncWire

// The timeouts of connections: for silence, for an unfinished frame, and for a write that is stuck.
// Connections that were sent nothing for long get a heartbeat.
extension ServerLoop {
    /// How many connections one piece of work checks.
    private static let sessionsPerPiece = 16

    /// Checks all connections at intervals, piece by piece.
    func watchSessions() {
        schedule(afterMilliseconds: watchMilliseconds) { [self] in
            clocks.listening.tick(at: loop.nowMilliseconds, intervalMilliseconds: watchMilliseconds)
            // Backwards: the last connection, which is checked already, moves to the place of one
            // that is removed.
            var left = connections.sessions.count
            inPieces { [self] in
                // The pieces may be in many turns, in which connections are sent something.
                let (now, listened) = (loop.nowMilliseconds, listenedMilliseconds)
                let end = min(left, connections.sessions.count)
                left = max(0, end - ServerLoop.sessionsPerPiece)
                for session in connections.sessions[left..<end].reversed() {
                    watch(session, now: now, listened: listened)
                }
                if left == 0 { watchGateways() }
                return left > 0
            }
        }
    }

    private func watchGateways() {
        var left = connections.gateways.count
        inPieces { [self] in
            let end = min(left, connections.gateways.count)
            left = max(0, end - ServerLoop.sessionsPerPiece)
            for connection in connections.gateways[left..<end].reversed() {
                connection.handler?.watch(listened: listenedMilliseconds)
            }
            if left == 0 { watchSessions() }
            return left > 0
        }
    }

    private var watchMilliseconds: UInt64 {
        let shortest = min(
            configuration.connections.handshakeTimeoutMilliseconds,
            configuration.connections.frameTimeoutMilliseconds,
            UInt64(configuration.connections.heartbeatMilliseconds))
        return max(10, min(1000, shortest / 4))
    }

    private func watch(_ session: Session, now: UInt64, listened: UInt64) {
        let beat = UInt64(configuration.connections.heartbeatMilliseconds)
        let patience = beat * configuration.connections.missedHeartbeats
        switch session.phase {
        case .greeting:
            if listened - min(listened, session.opened)
                >= configuration.connections.handshakeTimeoutMilliseconds
            {
                session.fail(.handshakeTimeout, "no hello came in time")
            }
        case .open:
            if now >= session.principal.deadline { return session.expire() }
            if session.isWriteStuck(listened: listened, for: patience) {
                return session.giveUp(patience)
            }
            let silence = listened - min(listened, session.inbox.lastReceived)
            if silence >= patience, !session.inbox.mayHaveInput {
                session.fail(
                    .heartbeatTimeout, "nothing came for \(silence) milliseconds")
            } else if session.inbox.isFrameOverdue(
                listened: listened, timeout: configuration.connections.frameTimeoutMilliseconds,
                bytesPerSecond: Session.leastFrameBytesPerSecond)
            {
                session.fail(.frameTimeout, "a frame was begun, and the rest did not come in time")
            } else if now - min(now, session.outbox.lastSent) + watchMilliseconds > beat,
                !session.outbox.isWriting
            {
                session.add(codec.heartbeat, of: nil)
            }
        case .leaving, .closed: break
        }
    }
}

extension Session {
    /// Whether a write is in flight of which the system has accepted nothing for so long.
    fileprivate func isWriteStuck(listened: UInt64, for patience: UInt64) -> Bool {
        guard outbox.isWriting else { return false }
        return outbox.isStuck(unsent: stream.unsentBytes, listened: listened, for: patience)
    }

    /// Closes the connection without an error message, which could not be sent.
    fileprivate func giveUp(_ patience: UInt64) {
        loop.context.log.log(
            .info, "closing a connection",
            ["peer": peer, "why": "nothing was taken for \(patience) milliseconds"])
        stream.close()
    }
}
