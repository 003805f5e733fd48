import SyncIO
import SyncStore

/// Says in the log when the store has nearly as much on disk as it may have, before it refuses records.
final class DiskWatch {
    private unowned let loop: ServerLoop
    private var watch = QuotaWatch()

    private static let intervalMilliseconds: UInt64 = 1000

    init(on loop: ServerLoop) {
        self.loop = loop
    }

    func schedule() {
        guard let limit = loop.configuration.storage.maximumDiskBytes else { return }
        loop.schedule(afterMilliseconds: DiskWatch.intervalMilliseconds) { [self] in
            look(at: loop.context.store.usedBytes, of: limit)
            schedule()
        }
    }

    private func look(at used: UInt64, of limit: UInt64) {
        guard watch.isNews(Int(clamping: used), of: Int(clamping: limit)) else { return }
        loop.context.log.log(
            .warning, "the store is nearly as large as it may be: delete rooms, or give it more",
            ["usedBytes": "\(used)", "limitBytes": "\(limit)"])
    }
}
