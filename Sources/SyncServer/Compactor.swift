import SyncIO
import SyncStore

/// Has the store forget log that is older than `--history`, room by room, from time to time.
final class Compactor {
    private unowned let loop: ServerLoop

    init(on loop: ServerLoop) {
        self.loop = loop
    }

    func schedule() {
        guard let history = loop.configuration.storage.historyMilliseconds else { return }
        loop.schedule(afterMilliseconds: loop.configuration.storage.compactionMilliseconds) {
            [self] in
            let now = loop.loop.wallClockMilliseconds
            Compactor.compact(olderThan: now - min(now, history), loop.context)
            schedule()
        }
    }

    private static func compact(olderThan cutoff: UInt64, _ context: ServerContext) {
        context.store.rooms { result in
            guard case .success(let rooms) = result else { return }
            compact(rooms[...], olderThan: cutoff, context)
        }
    }

    /// One after the other, so that what is urgent finds the store free.
    private static func compact(
        _ rooms: ArraySlice<RoomSummary>, olderThan cutoff: UInt64, _ context: ServerContext
    ) {
        guard let room = rooms.first else { return }
        context.store.compact(room: room.name, olderThanWallClockMilliseconds: cutoff) { result in
            if case .failure(let error) = result {
                context.log.log(
                    .warning, "old log could not be removed",
                    ["room": room.name, "why": error.description])
            }
            compact(rooms.dropFirst(), olderThan: cutoff, context)
        }
    }
}
