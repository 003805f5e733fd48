import SeededRandom
package import SyncIO
package import SyncModel
package import SyncStore

/// A machine's disk with the journal of a store. It outlives the processes that write to it.
///
/// The journal is a sequence of entries, each with a checksum. Some of the written entries may not
/// be synced. When a process ends, all entries stay. When the power is lost, the synced ones stay,
/// and some of the others that happened to be written by then: the first torn or missing entry ends
/// what can be read.
///
/// Invariants:
/// 1. The first ``syncedCount`` entries stay, unless they are overwritten.
/// 2. ``durable`` is the state that they make.
///
/// Tests choose the faults: a full disk, failing syncs or failing reads.
package final class SimulatedDisk {
    /// An entry of the journal.
    package enum Entry: Sendable {
        case record(LogRecord, room: RoomName)
        case snapshot(StoredSnapshot, room: RoomName)
        case compaction(room: RoomName, cutoff: UInt64)
        case deletion(room: RoomName)
        case time(TrustedTime)
    }

    /// What happens to the entries of a failed sync.
    enum Remainder {
        /// The store removes them, and overwrites them next.
        case takenBack
        /// They stay, and the next sync includes them.
        case kept
    }

    package private(set) var entries: [Entry] = []
    package private(set) var syncedCount = 0
    /// The state that no fault can undo.
    package private(set) var durable = DurableLogs()

    /// Whether there is no room for another entry.
    package var isFull = false
    package var failsSyncs = false
    package var failsReads = false

    /// How many entries were lost with the power.
    package private(set) var lostCount = 0
    /// How often a write was refused, a sync failed, and a read failed.
    package private(set) var refusedCount = 0
    package private(set) var failedSyncCount = 0
    package private(set) var failedReadCount = 0

    private var generator: SplitMix64

    package init(seed: UInt64) {
        generator = SplitMix64(seed: seed)
    }

    // MARK: The loss of power

    /// Loses entries that are not synced.
    package func losePower() {
        let unsynced = entries.count - syncedCount
        let kept = Int.random(in: 0...unsynced, using: &generator)
        entries.removeLast(unsynced - kept)
        lostCount += unsynced - kept
    }

    // MARK: Copies

    /// The synced state of the disk at one time, to restore later.
    package struct Copy {
        fileprivate let entries: [Entry]
        fileprivate let durable: DurableLogs

        /// An empty disk.
        package static var empty: Copy { Copy(entries: [], durable: DurableLogs()) }
    }

    package func copy() -> Copy {
        Copy(entries: Array(entries[..<syncedCount]), durable: durable.copied())
    }

    /// Restores a copy, like a backup; no process may be using the disk.
    package func putBack(to copy: Copy) {
        entries = copy.entries
        syncedCount = entries.count
        durable.putBack(to: copy.durable)
    }

    // MARK: For the storage

    /// Writes entries at a place, over what was there.
    func write(_ new: [Entry], at place: Int) {
        precondition(place >= syncedCount, "what was synced is not written over")
        entries.removeSubrange(place...)
        entries += new
    }

    func sync() throws(StoreError) {
        if failsSyncs {
            failedSyncCount += 1
            throw .io("the disk could not sync")
        }
        for entry in entries[syncedCount...] { durable.add(entry) }
        syncedCount = entries.count
    }

    func checkReadable() throws(StoreError) {
        if failsReads {
            failedReadCount += 1
            throw .io("the disk could not read")
        }
    }

    func checkRoom() throws(StoreError) {
        if isFull {
            refusedCount += 1
            throw .diskFull
        }
    }

    func remainder() -> Remainder {
        Bool.random(using: &generator) ? .kept : .takenBack
    }

    /// The number of steps of a long call.
    func stepCount() -> Int {
        Int.random(in: 1...3, using: &generator)
    }
}
