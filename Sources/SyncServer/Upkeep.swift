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

/// Measures what the whole server uses, also while nothing happens. It logs a warning when that is
/// near a limit, before anything is refused.
final class ServerWatch {
    private unowned let loop: ServerLoop
    private var disk = QuotaWatch()
    private var memory = QuotaWatch()
    private var connections = QuotaWatch()
    private var rooms = QuotaWatch()

    private static let intervalMilliseconds: UInt64 = 1000

    init(on loop: ServerLoop) {
        self.loop = loop
    }

    func schedule() {
        loop.schedule(afterMilliseconds: ServerWatch.intervalMilliseconds) { [self] in
            look()
            schedule()
        }
    }

    private func look() {
        let context = loop.context
        context.countDisk()
        let pots = context.pots
        if disk.isNews(pots.disk.used, of: pots.disk.limit) {
            context.log.log(
                .warning,
                "the store is nearly as large as it may be: delete rooms, or give it more",
                ["usedBytes": "\(pots.disk.used)", "limitBytes": "\(pots.disk.limit)"])
        }
        look(at: pots.memory, "bytes of memory", &memory)
        look(at: context.connections, "connections", &connections)
        look(at: pots.rooms, "open rooms", &rooms)
    }

    private func look(at account: Account, _ what: String, _ watch: inout QuotaWatch) {
        guard watch.isNews(account.used, of: account.limit) else { return }
        loop.context.log.log(
            .warning, "the server is nearly full",
            ["of": what, "count": "\(account.used)", "limit": "\(account.limit)"])
    }
}
