import SyncIO
import SyncRoom
import SyncStore
import SyncWire

/// What is known of a room's bytes on disk. It is counted up as the room is written, and asked for when it
/// comes near the quota, as old log and snapshots go.
struct RoomDisk {
    var bytes: UInt64 = 0
    /// What that leaves room for.
    var measure = Intake.Measure.all
    fileprivate var watch = QuotaWatch()
    fileprivate var isAsking = false
    /// When it was asked for last.
    fileprivate var asked: UInt64 = 0
}

// What the store has of a room, and how much that may be.
extension RoomHost {
    private static let askMilliseconds: UInt64 = 10_000

    /// Asks the store how much it has, if that has a limit.
    func measureDisk() {
        guard configuration.storage.maximumRoomDiskBytes != nil, !disk.isAsking else { return }
        disk.isAsking = true
        disk.asked = loop.loop.nowMilliseconds
        let post = loop.peers[loop.index]
        let handle = handle
        loop.context.store.summary(of: name.text) { result in
            let summary = (try? result.get()).flatMap { $0 }
            let bytes = summary.map { $0.logBytes + $0.snapshotBytes }
            post.post { $0.hosts[handle]?.didMeasureDisk(bytes) }
        }
    }

    private func didMeasureDisk(_ bytes: UInt64?) {
        disk.isAsking = false
        if let bytes { disk.bytes = bytes }
        watchDisk()
    }

    /// Counts what is written.
    func addToDisk(_ count: Int) {
        guard configuration.storage.maximumRoomDiskBytes != nil || configuration.storage.isInMemory
        else {
            return
        }
        disk.bytes += UInt64(count)
        watchDisk()
    }

    private func watchDisk() {
        guard let limit = configuration.storage.maximumRoomDiskBytes else { return }
        let percent = disk.bytes / max(1, limit / 100)
        if disk.watch.isNews(Int(clamping: disk.bytes), of: Int(clamping: limit)) {
            warn("disk", Int(clamping: disk.bytes), Int(clamping: limit))
        }
        // What deletes is stored, too, so it has a reserve.
        disk.measure =
            if disk.bytes < limit { .all } else if percent < RoomHost.reservePercent {
                .deletes
            } else { .nothing }
        decideIntake()
        if percent >= 80, loop.loop.nowMilliseconds >= disk.asked + RoomHost.askMilliseconds {
            measureDisk()
        }
    }

    private static let reservePercent: UInt64 = 112
}
