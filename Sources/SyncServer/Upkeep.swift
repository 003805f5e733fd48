import SyncIO
import SyncModel
import SyncRoom
import SyncStore

extension ServerLoop {
    /// The time by which the store's content gets old.
    var trustedTime: TrustedTime { context.trustedTime(on: loop) }

    /// Notes the time in the store, and removes log that is older than `--history`, at intervals.
    ///
    /// The first note is made at once. So a server that never runs for a whole interval resumes its
    /// time, too.
    func beginUpkeep() {
        context.noteTime(trustedTime)
        scheduleUpkeep()
    }

    private func scheduleUpkeep() {
        let storage = configuration.storage
        schedule(afterMilliseconds: storage.upkeepMilliseconds) { [self] in
            let time = trustedTime
            context.noteTime(time)
            if let history = storage.historyMilliseconds {
                context.compact(olderThan: time.milliseconds - min(time.milliseconds, history))
            }
            scheduleUpkeep()
        }
    }
}

extension ServerContext {
    fileprivate func noteTime(_ time: TrustedTime) {
        store.note(time) { [self] result in
            guard case .failure(let error) = result else { return }
            log.log(
                .warning, "the time could not be noted in the store", ["why": error.description])
        }
    }

    fileprivate func compact(olderThan cutoff: UInt64) {
        store.rooms { [self] result in
            guard case .success(let rooms) = result else { return }
            compact(rooms[...], olderThan: cutoff)
        }
    }

    /// Compacts one room after the other, so that urgent calls to the store need not wait.
    private func compact(_ rooms: ArraySlice<StoredRoomSummary>, olderThan cutoff: UInt64) {
        guard let room = rooms.first else { return }
        store.compact(room: room.name, olderThanTrustedMilliseconds: cutoff) { [self] result in
            if case .failure(let error) = result {
                log.log(
                    .warning, "old log could not be removed",
                    ["room": room.name.text, "why": error.description])
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
        context.audit?.report(at: loop.loop.nowMilliseconds)
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
