import SyncModel
import SyncTree

/// Long walks of the last transactions: whoever puts ten thousand things at one place pays for the
/// way there once.
///
/// A walk depends on what its author has seen, so on the author and the base. What was born since
/// it was made is in the journal, and the walk takes that in before it is used again, see
/// `Engine+Walks.swift`. All walks are dropped where the horizon moves, since numbers of nodes may
/// then be used again.
///
/// Those used last are kept: when so many are recent, the others are dropped and these become the
/// others. So as many as ``capacity`` that take turns all stay, whatever earlier transactions have
/// left here.
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
        /// Where a node walked from stands; 0 for walks over a thing's nodes.
        var sequence: OrderTree.SequenceID = 0
        /// The node walked from, or the thing whose nodes they are.
        var from: UInt32 = 0
        /// The node that the walk does not pass.
        var limit: NodeID = 0
    }

    struct Walk {
        let key: Key
        /// Where it ended.
        var end: NodeID
        /// For walks over a thing's nodes, the one they began with.
        var top: NodeID = 0
        /// How many nodes it passed.
        var length: Int
        /// What the journal had when it was made, or taken up again.
        var journalEnd: Int
        /// The transaction that made it or took it up last.
        var transaction: Int
    }

    // Shorter ones cost less than remembering them; in tests nearly all are remembered.
    #if DEBUG
        static let leastLength = 2
    #else
        static let leastLength = 32
    #endif
    /// So many walks that take turns are kept.
    private static let capacity = 64

    private var recent: [Key: Walk] = [:]
    private var others: [Key: Walk] = [:]
    /// The transaction that made or took up one last.
    private var latestTransaction = -1

    /// The memory that it takes, about.
    var byteCount: Int {
        (recent.count + others.count) * 2 * (MemoryLayout<Key>.stride + MemoryLayout<Walk>.stride)
    }

    /// A walk that is known.
    func walk(_ key: Key) -> Walk? {
        if recent.isEmpty, others.isEmpty { return nil }
        return recent[key] ?? others[key]
    }

    /// Remembers a walk, in the place of its former version, as the one used last.
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

    /// Forgets the walks that a transaction made or took up; it is the last one.
    mutating func removeAll(of transaction: Int) {
        guard transaction == latestTransaction else { return }
        recent = recent.filter { $0.value.transaction != transaction }
        others = others.filter { $0.value.transaction != transaction }
    }
}
