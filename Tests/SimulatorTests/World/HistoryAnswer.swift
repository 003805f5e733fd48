import SyncModel
import SyncWire

/// What a client was told of a room's past.
final class HistoryAnswer {
    let room: String
    let from: Revision
    let until: Revision
    /// What the revisions are of, if it was asked for that.
    let origin: Origin?
    var batches: [Batch] = []

    init(room: String, from: Revision, until: Revision, origin: Origin?) {
        self.room = room
        self.from = from
        self.until = until
        self.origin = origin
    }
}
