import SyncIO
import SyncModel
import SyncServer

/// Writes an audit trail on a thread of its own, so noting never waits.
///
/// It owns the events that wait. If there are too many, because the disk is slow or full, they are
/// counted, and the count is logged and written as soon as something can be written.
final class AuditWriter: AuditTrail, Sendable {
    private struct Waiting {
        var events: [AuditEvent] = []
        var bytes = 0
        /// How many could not be added.
        var dropped = 0
        /// Whether the thread is writing, so that it also writes events that are added.
        var isWriting = false
    }

    private let waiting = Monitor(Waiting())
    /// Only the thread uses the files.
    private let trail: Monitor<AuditTrailFiles>
    private let worker: any Worker
    private let log: any ServerLog

    /// How many bytes of events may wait.
    static let maximumBytes = 4 << 20
    /// What an event uses beside its texts.
    private static let eventBytes = 256

    init(_ trail: consuming AuditTrailFiles, worker: any Worker, log: any ServerLog) {
        self.trail = Monitor(trail)
        self.worker = worker
        self.log = log
    }

    func note(_ event: AuditEvent) {
        let bytes =
            AuditWriter.eventBytes + event.user.text.utf8.count + event.address.utf8.count
            + (event.token?.text.utf8.count ?? 0) + (event.room?.text.utf8.count ?? 0)
            + event.detail.utf8.count
        let mustStart = waiting.withLock { waiting in
            guard waiting.bytes + bytes <= AuditWriter.maximumBytes else {
                waiting.dropped += 1
                return false
            }
            waiting.events.append(event)
            waiting.bytes += bytes
            defer { waiting.isWriting = true }
            return !waiting.isWriting
        }
        if mustStart { worker.submit { [self] in writeAll() } }
    }

    /// Syncs the trail and looks for old files, now and every second. Called on a loop.
    func attend(on loop: any EventLoop) {
        Recurrence(on: worker) { [self] in
            if let failure = trail.withLock({ $0.keepUp(at: ClockReading.now) }) { report(failure) }
        }.begin(on: loop)
    }

    /// Waits until all events are written.
    func finish() {
        worker.submit { [self] in
            if let failure = trail.withLock({ $0.close() }) { report(failure) }
        }
        worker.finish()
    }

    private func writeAll() {
        while true {
            let taken = waiting.withLock { waiting -> (events: [AuditEvent], dropped: Int)? in
                if waiting.events.isEmpty {
                    waiting.isWriting = false
                    return nil
                }
                defer { (waiting.events, waiting.bytes, waiting.dropped) = ([], 0, 0) }
                return (waiting.events, waiting.dropped)
            }
            guard let taken else { return }
            let failure = trail.withLock { trail in
                trail.write(taken.events, dropped: taken.dropped, at: ClockReading.now)
            }
            if let failure {
                report(failure)
            } else if taken.dropped > 0 {
                log.log(
                    .warning, "events came too fast for the audit trail",
                    ["lost": "\(taken.dropped)"])
            }
        }
    }

    private func report(_ failure: FileFailure) {
        log.log(
            .error, "the audit trail can't be written",
            ["why": failure.description, "lost": "\(trail.withLock { $0.lost })"])
    }
}
