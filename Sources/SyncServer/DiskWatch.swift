import SyncIO
import SyncRoom

/// Looks at how much the store has on disk, also while nothing is written, and says in the log when that is nearly as
/// much as it may have, before it refuses records.
final class DiskWatch {
    private unowned let loop: ServerLoop
    private var watch = QuotaWatch()

    private static let intervalMilliseconds: UInt64 = 1000

    init(on loop: ServerLoop) {
        self.loop = loop
    }

    func schedule() {
        guard loop.configuration.storage.maximumDiskBytes != nil else { return }
        loop.schedule(afterMilliseconds: DiskWatch.intervalMilliseconds) { [self] in
            look(at: loop.context.pots.disk)
            schedule()
        }
    }

    private func look(at disk: Account) {
        loop.context.countDisk()
        guard watch.isNews(disk.held, of: disk.limit) else { return }
        loop.context.log.log(
            .warning, "the store is nearly as large as it may be: delete rooms, or give it more",
            ["usedBytes": "\(disk.held)", "limitBytes": "\(disk.limit)"])
    }
}
