import SyncIO
import SyncRoom
import SyncWire
import Synchronization

/// The worker that rooms lend their states to, one room at a time, first come, first served.
///
/// A room lends only when the worker is free: so none is without its state while others' are being worked on.
final class Lender: Sendable {
    private struct Line {
        var isBusy = false
        var waiting: [(loop: LoopHandle, room: RoomHandle)] = []
        /// How many of those that wait had their turn.
        var served = 0

        mutating func next() -> (loop: LoopHandle, room: RoomHandle)? {
            guard served < waiting.count else {
                waiting = []
                served = 0
                return nil
            }
            defer { served += 1 }
            return waiting[served]
        }
    }

    private let worker: any Worker
    private let line = Mutex(Line())

    init(_ worker: any Worker) {
        self.worker = worker
    }

    /// Asks for the worker.
    ///
    /// - Returns: whether it is the room's now; else ``ServerLoop/lend(_:)`` is called when it is.
    func take(for room: RoomHandle, of loop: LoopHandle) -> Bool {
        line.withLock { line in
            if line.isBusy {
                line.waiting.append((loop, room))
                return false
            }
            line.isBusy = true
            return true
        }
    }

    /// Has the worker do something for the room whose turn it is, and then gives it to the next one.
    func submit(_ job: @escaping @Sendable () -> Void) {
        worker.submit { [self] in
            job()
            giveBack()
        }
    }

    /// Gives the worker to the next room.
    func giveBack() {
        let next = line.withLock { line in
            let next = line.next()
            if next == nil { line.isBusy = false }
            return next
        }
        guard let next else { return }
        next.loop.post { $0.lend(next.room) }
    }

    func finish() {
        worker.finish()
    }
}
