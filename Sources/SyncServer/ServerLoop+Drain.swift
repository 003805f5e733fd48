import SyncBytes
import SyncIO
import SyncRoom
import SyncWire

/// How far the server's shutdown has come on a loop.
struct LoopDrain {
    /// Whether the shutdown has begun.
    var isUnderWay = false
    /// Called when the rooms are settled, and when the sessions are closed.
    var whenSettled: (() -> Void)?
    var whenEmpty: (() -> Void)?
}

// The steps of a shutdown on one loop. All loops finish one step before any begins the next.
extension ServerLoop {
    /// 1. Stops accepting and reading.
    func stopReceiving() {
        drain.isUnderWay = true
        for listener in listeners { listener.close() }
        for session in connections.sessions { session.pauseReading(true) }
    }

    /// 2. Waits until everything that was received is durable or refused, and answered.
    func settle(then done: @escaping @Sendable () -> Void) {
        for host in hosts.all.sorted(by: { $0.name < $1.name })
        where host.room.hasUnanswered { touch(host) }
        drain.whenSettled = done
        reportIfSettled()
    }

    func reportIfSettled() {
        guard let whenSettled = drain.whenSettled, agenda.pieceWork.isEmpty,
            hosts.all.allSatisfy(\.isSettled)
        else { return }
        drain.whenSettled = nil
        whenSettled()
    }

    /// 3. Notifies clients that the server ends, and closes their connections.
    func disconnectClients(then done: @escaping @Sendable () -> Void) {
        guard !connections.isEmpty else { return done() }
        drain.whenEmpty = done
        let error = ErrorMessage(
            .shuttingDown, "the server is going down; come back in a while")
        for session in connections.sessions { session.fail(error.code, error.text) }
        for connection in connections.gateways { connection.handler?.end(error) }
    }

    /// Goes on with the shutdown when all connections are closed.
    func reportIfEmpty() {
        guard connections.isEmpty, let whenEmpty = drain.whenEmpty else { return }
        drain.whenEmpty = nil
        whenEmpty()
    }

    /// 4. Saves the rooms, so that they open quickly.
    func saveImages(then done: @escaping @Sendable () -> Void) {
        let saving = hosts.all.sorted { $0.name < $1.name }
        var left = saving.count
        if left == 0 { return done() }
        for host in saving {
            host.images.saveTail {
                left -= 1
                if left == 0 { done() }
            }
        }
    }
}

extension RoomHost {
    /// Whether everything that was received is durable or refused, and answered.
    var isSettled: Bool {
        switch room.place {
        case .here:
            !room.hasUnanswered && !isTouched && appends.isEmpty && !room.hasTasks
        case .opening, .away, .deleting: false
        case .reopening: opener.isWaiting
        case .gone: true
        }
    }
}
