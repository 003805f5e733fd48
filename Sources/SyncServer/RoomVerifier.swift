import SyncBytes
import SyncEngine
package import SyncModel
import SyncRoom
package import SyncStore

/// Replays a room's records to verify a store: each snapshot must equal, byte by byte, the state
/// that the records before it make.
package final class RoomVerifier: RoomReplay {
    private var state: RoomState?

    package init() {}

    package func begin(room: String, at snapshot: StoredSnapshot?) -> String? {
        state = nil
        guard let snapshot else {
            state = RoomState()
            return nil
        }
        return attempt { () throws(RoomError) in state = try RoomState(snapshot) }
    }

    package func apply(_ record: LogRecord) -> String? {
        guard let state else { return "there is nothing to go on from" }
        return attempt { () throws(RoomError) in try state.apply(record) }
    }

    package func compare(with snapshot: StoredSnapshot) -> String? {
        guard let state else { return "there is nothing to compare with" }
        if state.encodeImage() == snapshot.body { return nil }
        let stored: RoomState
        do throws(RoomError) {
            stored = try RoomState(snapshot)
        } catch {
            return error.description
        }
        if stored.engine.snapshot() != state.engine.snapshot() {
            return "it holds other items, sections or content"
        }
        return "it remembers another past"
    }

    private func attempt(_ body: () throws(RoomError) -> Void) -> String? {
        do throws(RoomError) {
            try body()
            return nil
        } catch {
            return error.description
        }
    }
}
