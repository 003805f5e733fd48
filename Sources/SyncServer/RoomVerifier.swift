import SyncBytes
import SyncEngine
package import SyncModel
import SyncRoom
package import SyncStore

/// Replays a room's records to verify a store: each snapshot must equal, byte by byte, the state
/// that the records before it make.
package final class RoomVerifier: RoomReplay {
    private var state: RoomState?
    private let maximumBytes: Int

    /// - Parameter maximumBytes: the most memory that a room may take.
    package init(atMost maximumBytes: Int = .max) {
        self.maximumBytes = maximumBytes
    }

    package func begin(room: RoomName, at snapshot: StoredSnapshot?) -> RoomFlaw? {
        state = nil
        guard let snapshot else {
            state = RoomState()
            return nil
        }
        return attempt { () throws(RoomError) in
            state = try RoomState(snapshot, within: mayTake)
        }
    }

    package func apply(_ record: LogRecord) -> RoomFlaw? {
        guard let state else { return "there is nothing to go on from" }
        return attempt { () throws(RoomError) in
            try state.apply(record, within: mayTake)
        }
    }

    private func mayTake(_ bytes: Int) -> Bool { bytes <= maximumBytes }

    package func compare(with snapshot: StoredSnapshot) -> RoomFlaw? {
        guard let state else { return "there is nothing to compare with" }
        if state.encodeImage() == snapshot.body { return nil }
        let stored: RoomState
        do throws(RoomError) {
            stored = try RoomState(snapshot, within: mayTake)
        } catch {
            return RoomFlaw(error)
        }
        if stored.engine.snapshot() != state.engine.snapshot() {
            return "it holds other items, sections or content"
        }
        return "it remembers another past"
    }

    private func attempt(_ body: () throws(RoomError) -> Void) -> RoomFlaw? {
        do throws(RoomError) {
            try body()
            return nil
        } catch {
            return RoomFlaw(error)
        }
    }
}

extension RoomFlaw {
    init(_ error: RoomError) {
        self.init(error.description, isTooLarge: error == .tooLarge)
    }
}
