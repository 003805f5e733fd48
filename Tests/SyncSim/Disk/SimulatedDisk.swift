package import SyncModel
package import SyncStore

/// A machine's disk with the journal of a store on it: what outlives the processes that write
/// there.
///
/// The journal is a list of entries, each with a checksum, one behind the other. Of those that were
/// written only a part may be synced. The end of a process leaves all of them. The loss of power
/// leaves what was synced and, of the rest, what happened to be written by then: the first entry
/// that is torn or missing ends what can be read.
///
/// Invariants:
/// 1. The first ``syncedCount`` entries stay, whatever happens, unless they are written over.
/// 2. ``durable`` is what they make.
///
/// What goes wrong is asked for by the test: that it is full, that it fails to sync or to read.
package final class SimulatedDisk {
    /// One thing written.
    package enum Entry: Sendable {
        case record(LogRecord, room: String)
        case snapshot(StoredSnapshot, room: String)
        case compaction(room: String, cutoff: UInt64)
        case deletion(room: String)
    }

    /// What a sync that fails leaves behind.
    enum Remainder {
        /// The store takes back what it has written, and writes over it next.
        case takenBack
        /// What was written stays, and the next sync has it too.
        case kept
    }

    package private(set) var entries: [Entry] = []
    package private(set) var syncedCount = 0
    /// What nothing can take away any more.
    package private(set) var durable = DurableLogs()

    /// Whether there is no room for another entry.
    package var isFull = false
    package var failsSyncs = false
    package var failsReads = false

    /// How many entries went with the power.
    package private(set) var lostCount = 0
    /// How often it had no room, could not sync, could not read.
    package private(set) var refusedCount = 0
    package private(set) var failedSyncCount = 0
    package private(set) var failedReadCount = 0

    private var generator: SeededRandom

    package init(seed: UInt64) {
        generator = SeededRandom(seed: seed)
    }

    // MARK: The loss of power

    /// Tears what is not synced.
    package func losePower() {
        let unsynced = entries.count - syncedCount
        let kept = Int.random(in: 0...unsynced, using: &generator)
        entries.removeLast(unsynced - kept)
        lostCount += unsynced - kept
    }

    // MARK: Copies

    /// What is safe on the disk at a time, to go back to.
    package struct Copy {
        fileprivate let entries: [Entry]
        fileprivate let durable: DurableLogs

        /// A disk with nothing on it.
        package static var empty: Copy { Copy(entries: [], durable: DurableLogs()) }
    }

    package func copy() -> Copy {
        Copy(entries: Array(entries[..<syncedCount]), durable: durable.copied())
    }

    /// Goes back to a copy, as somebody does who restores a backup; no process may be using the
    /// disk.
    package func putBack(to copy: Copy) {
        entries = copy.entries
        syncedCount = entries.count
        durable.putBack(to: copy.durable)
    }

    // MARK: For the storage

    /// Writes entries at a place; what stood there is lost.
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

    /// In how many steps a long call is done.
    func stepCount() -> Int {
        Int.random(in: 1...3, using: &generator)
    }
}
