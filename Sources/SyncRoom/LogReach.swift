import SyncBytes
import SyncEngine

/// How far back the newest bytes of a room's log reach, in revisions.
///
/// What a room remembers of the past, deleted items and replaced contents, came in by the log or was in
/// the room before: so these bytes bound how much it can be.
///
/// # Performance
/// It counts by stretches of the log, a few dozen for the limit, and takes O(1) for a record.
struct LogReach {
    private struct Stretch {
        var bytes: Int
        var lastRevision: Revision
    }

    private let limitBytes: Int
    /// The newest ones that come to the limit, oldest first.
    private var stretches: [Stretch] = []
    private var bytes = 0
    /// The limit is not passed by what came after this revision.
    private(set) var start: Revision = 0

    private static let stretchesForLimit = 64

    init(limitBytes: Int) {
        self.limitBytes = limitBytes
    }

    /// Takes in the next record.
    mutating func add(_ record: RoomRecord) {
        bytes += record.body.count
        if let last = stretches.last, last.bytes < limitBytes / LogReach.stretchesForLimit {
            stretches[stretches.count - 1].bytes += record.body.count
            stretches[stretches.count - 1].lastRevision = record.lastRevision
        } else {
            stretches.append(
                Stretch(bytes: record.body.count, lastRevision: record.lastRevision))
        }
        while bytes > limitBytes, stretches.count > 1 {
            bytes -= stretches[0].bytes
            start = stretches.removeFirst().lastRevision
        }
    }
}
