import SyncTree

/// Long walks of the last transactions: whoever puts ten thousand things at one place pays for the way
/// there once.
///
/// A walk depends on what its author has seen, so on the author and the base. What was born since it was
/// made is in the journal, and the walk takes that in before it is used again, see `Engine+Walks.swift`.
/// All walks are dropped where the horizon moves, since numbers of nodes may then be used again.
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

    struct Key: Equatable {
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
    private static let capacity = 16

    private(set) var walks: [Walk] = []
    private var next = 0

    subscript(_ index: Int) -> Walk {
        get { walks[index] }
        set { walks[index] = newValue }
    }

    func index(of key: Key) -> Int? {
        walks.firstIndex { $0.key == key }
    }

    /// Remembers a walk, in the place of its former version or of the oldest one.
    mutating func remember(_ walk: Walk) {
        if let known = index(of: walk.key) {
            walks[known] = walk
        } else if walks.count < WalkMemory.capacity {
            walks.append(walk)
        } else {
            next = (next + 1) % WalkMemory.capacity
            walks[next] = walk
        }
    }

    mutating func removeAll(where isGone: (Walk) -> Bool) {
        if !walks.isEmpty { walks.removeAll(where: isGone) }
    }
}
