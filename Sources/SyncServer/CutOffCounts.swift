import SyncAccess
import SyncIO
import SyncModel

/// How many connections were cut off as the keys of their tokens are gone, for the audit trail.
///
/// A key's connections are counted when they are cut off, by whatever round. If keys change twice
/// within a short time, the rounds cut off each other's. By the end of a key's own round all of its
/// connections are cut off, and none can come: its count is complete, and is removed. So there are
/// no more counts than keys that are being retired.
final class CutOffCounts: Sendable {
    private struct Key: Hashable {
        let id: Identifier
        let mark: UInt64
    }

    private let counts = Monitor<[Key: Int]>([:])

    /// Counts a connection whose key is gone.
    func count(_ id: Identifier, mark: UInt64) {
        counts.withLock { $0[Key(id: id, mark: mark), default: 0] += 1 }
    }

    /// Removes and returns the count of a key whose round is over.
    func take(_ retired: RetiredKey) -> Int {
        counts.withLock { $0.removeValue(forKey: Key(id: retired.id, mark: retired.mark)) ?? 0 }
    }
}
