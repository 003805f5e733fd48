import SyncIO
import SyncStore

extension ServerLoop {
    /// Has the store forget log that is older than `--history`, room by room, from time to time.
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

    /// One after the other, so that what is urgent finds the store free.
    private func compact(_ rooms: ArraySlice<RoomSummary>, olderThan cutoff: UInt64) {
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
