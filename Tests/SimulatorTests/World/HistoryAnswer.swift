import SyncModel
import SyncWire

/// The answer to a client that asked for a room's history.
final class HistoryAnswer {
    let room: RoomName
    let from: Revision
    let until: Revision
    /// The origin that the request named, if any.
    let origin: Origin?
    var batches: [Batch] = []

    init(room: RoomName, from: Revision, until: Revision, origin: Origin?) {
        self.room = room
        self.from = from
        self.until = until
        self.origin = origin
    }
}
