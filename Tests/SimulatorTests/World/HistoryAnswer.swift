import SyncEngine

/// What a client was told of a room's past.
final class HistoryAnswer {
    let room: String
    let from: Revision
    let until: Revision
    var batches: [Batch] = []

    init(room: String, from: Revision, until: Revision) {
        self.room = room
        self.from = from
        self.until = until
    }
}
