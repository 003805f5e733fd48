import SyncIO
import SyncRoom
import SyncStore

extension ServerLoop {
    /// Removes log that is older than `--history` from the store, room by room, at intervals.
    func scheduleCompaction() {
        let storage = configuration.storage
        guard let history = storage.historyMilliseconds else { return }
        schedule(afterMilliseconds: storage.compactionMilliseconds) { [self] in
            let now = loop.wallClockMilliseconds
            context.compact(olderThan: now - min(now, history))
            scheduleCompaction()
        }
    }
}

extension ServerContext {
    fileprivate func compact(olderThan cutoff: UInt64) {
        store.rooms { [self] result in
            guard case .success(let rooms) = result else { return }
            compact(rooms[...], olderThan: cutoff)
        }
    }

    /// Compacts one room after the other, so that urgent calls to the store need not wait.
    private func compact(_ rooms: ArraySlice<StoredRoomSummary>, olderThan cutoff: UInt64) {
        guard let room = rooms.first else { return }
        store.compact(room: room.name, olderThanWallClockMilliseconds: cutoff) { [self] result in
            if case .failure(let error) = result {
                log.log(
                    .warning, "old log could not be removed",
                    ["room": room.name, "why": error.description])
            }
            compact(rooms.dropFirst(), olderThan: cutoff)
        }
    }
}

/// Measures the store's size on disk, also while nothing is written. It logs a warning when the
/// size is near its limit, before the store refuses records.
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
        guard watch.isNews(disk.used, of: disk.limit) else { return }
        loop.context.log.log(
            .warning, "the store is nearly as large as it may be: delete rooms, or give it more",
            ["usedBytes": "\(disk.used)", "limitBytes": "\(disk.limit)"])
    }
}
