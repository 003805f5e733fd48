import SyncModel
import SyncTree

/// The long walks of recent transactions. A client that puts ten thousand things at one place pays
/// for the walk there once.
///
/// A walk depends on what its author has seen, so its key has the author and the base. Before a
/// walk is used again, it takes in the births that were journaled since (`Engine+Walks.swift`).
/// When the horizon moves, all walks are dropped, since node numbers may then be used again.
///
/// The walks that were used last stay: when ``recent`` is full it replaces ``others``. So up to
/// ``capacity`` walks that are used in turn all stay, whatever earlier transactions have left here.
struct WalkMemory {
    enum Kind: UInt8 {
        /// To the right, over what others put behind a node.
        case right
        /// To the left, over what the author has not seen.
        case left
        /// Over all that lives in a section, for what the author has seen there.
        case section
        /// From a thing's last node to the last one that the author has seen.
        case seen
        /// From a thing's last node to the one it had at the base.
        case former
        /// From a thing's last node to one of another life.
        case life
    }

    struct Key: Hashable {
        var kind: Kind
        var base: Revision = 0
        var author: AuthorID = 0
        /// The sequence that is walked along; 0 for walks over a thing's nodes.
        var sequence: OrderTree.SequenceID = 0
        /// The node that the walk begins at, or the thing whose nodes it goes over.
        var from: UInt32 = 0
        /// The node that the walk does not pass.
        var limit: NodeID = 0
    }

    struct Walk {
        let key: Key
        /// Where it ended.
        var end: NodeID
        /// For walks over a thing's nodes, the node that it began with.
        var top: NodeID = 0
        /// How many nodes it passed.
        var length: Int
        /// The journal's end when the walk was made, or used last.
        var journalEnd: Int
        /// The transaction that made or used it last.
        var transaction: Int
    }

    // Shorter walks cost less than remembering them. In debug builds nearly all are remembered.
    #if DEBUG
        static let leastLength = 2
    #else
        static let leastLength = 32
    #endif
    /// How many walks that are used in turn all stay.
    private static let capacity = 64

    private var recent: [Key: Walk] = [:]
    private var others: [Key: Walk] = [:]
    /// The last transaction that made or used one.
    private var latestTransaction = -1

    /// The memory that it takes, about.
    var byteCount: Int {
        (recent.count + others.count) * 2 * (MemoryLayout<Key>.stride + MemoryLayout<Walk>.stride)
    }

    /// The remembered walk with this key.
    func walk(_ key: Key) -> Walk? {
        if recent.isEmpty, others.isEmpty { return nil }
        return recent[key] ?? others[key]
    }

    /// Remembers a walk as the one used last. It replaces its former version.
    mutating func remember(_ walk: Walk) {
        latestTransaction = walk.transaction
        recent[walk.key] = walk
        if recent.count < WalkMemory.capacity { return }
        others = recent
        recent = [:]
    }

    mutating func removeAll() {
        if recent.isEmpty, others.isEmpty { return }
        recent = [:]
        others = [:]
    }

    /// Forgets the walks that the last transaction made or used.
    mutating func removeAll(of transaction: Int) {
        guard transaction == latestTransaction else { return }
        recent = recent.filter { $0.value.transaction != transaction }
        others = others.filter { $0.value.transaction != transaction }
    }
}
