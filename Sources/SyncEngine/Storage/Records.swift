import SyncModel
import SyncTree

/// A number of a record in a slab; 0 is none.
typealias NodeID = UInt32
typealias ThingID = UInt32
typealias VersionID = UInt32
/// The number of an author, from 1; 0 is nobody.
@usableFromInline typealias AuthorID = UInt32

/// One thing at one place.
struct NodeRecord: BitwiseCopyable {
    // Revisions are kept in 48 bits: a million a second for nine years.
    private var bornLow: UInt32
    private var diedLow: UInt32
    private var bornHigh: UInt16
    private var diedHigh: UInt16
    /// The item or section at this place; 0 in a record that is not in use.
    var thing: ThingID
    /// For an item, the sequence it stands in; for a section (which stand in the engine's sequence
    /// of sections), the sequence of its items.
    var sequence: OrderTree.SequenceID
    /// The node it was put after; 0 for the start. It may name a node that is forgotten, even one
    /// whose number is in use again: ``Engine/originates(_:from:passing:)`` checks that.
    var origin: NodeID
    /// The node made before this one for the same thing. It may be forgotten, too:
    /// ``Engine/previous(of:)`` checks that.
    var previous: NodeID
    var author: AuthorID
    /// The incarnation of its thing's id that it belongs to.
    var incarnation: UInt32

    init(
        born: Revision, died: Revision = NodeRecord.alive, thing: ThingID,
        sequence: OrderTree.SequenceID, origin: NodeID, previous: NodeID, author: AuthorID,
        incarnation: UInt32
    ) {
        bornLow = UInt32(truncatingIfNeeded: born)
        bornHigh = UInt16(truncatingIfNeeded: born >> 32)
        diedLow = UInt32(truncatingIfNeeded: died)
        diedHigh = UInt16(truncatingIfNeeded: died >> 32)
        self.thing = thing
        self.sequence = sequence
        self.origin = origin
        self.previous = previous
        self.author = author
        self.incarnation = incarnation
    }

    /// The revision that made it.
    var born: Revision {
        @inline(__always) get { Revision(bornHigh) << 32 | Revision(bornLow) }
    }

    /// The revision that ended it; ``alive`` while it lives.
    var died: Revision {
        @inline(__always) get { Revision(diedHigh) << 32 | Revision(diedLow) }
        set {
            diedLow = UInt32(truncatingIfNeeded: newValue)
            diedHigh = UInt16(truncatingIfNeeded: newValue >> 32)
        }
    }

    static let alive: Revision = 1 << 48 - 1

    /// The record of a number that is not in use.
    static let none = NodeRecord(
        born: NodeRecord.alive, thing: 0, sequence: 0, origin: 0, previous: 0, author: 0,
        incarnation: 0)
}

/// An item or a section: something with an id.
struct ThingRecord: BitwiseCopyable {
    /// The blob with the id's length in a byte, the id and the content. They lie together, so that
    /// reading the id also loads the content. The blob's tag has the flags that are false.
    var body: BlobStore.Reference
    /// The last made node.
    var node: NodeID = 0
    /// The last replaced content; 0 if there is none within the horizon.
    var version: VersionID = 0
    /// The sequence of a section's items; 0 for an item.
    var sequence: OrderTree.SequenceID
    /// Counts the incarnations of the id.
    var incarnation: UInt32 = 0
    var incarnationAuthor: AuthorID = 0
    /// The author that deleted it; 0 while it lives. ``sectionDeletion`` is added if a
    /// `deleteSection` deleted it and no delete has named it since (O2).
    var deletion: UInt32 = 0
    // In 48 bits, as revisions are in a node's record.
    private var incarnationBornLow: UInt32 = 0
    private var incarnationBornHigh: UInt16 = 0
    /// Counts the things that had this one's number before. It wraps around after 65,536 of them.
    var generation: UInt16

    init(body: BlobStore.Reference, sequence: OrderTree.SequenceID, generation: UInt16 = 0) {
        self.body = body
        self.sequence = sequence
        self.generation = generation
    }

    /// The revision that began this incarnation.
    var incarnationBorn: Revision {
        @inline(__always) get { Revision(incarnationBornHigh) << 32 | Revision(incarnationBornLow) }
        set {
            incarnationBornLow = UInt32(truncatingIfNeeded: newValue)
            incarnationBornHigh = UInt16(truncatingIfNeeded: newValue >> 32)
        }
    }

    /// Begins an incarnation of the id.
    @inline(__always)
    mutating func beginIncarnation(in revision: Revision, by author: AuthorID) {
        // It may wrap around: only whether two incarnations are the same matters.
        incarnation &+= 1
        incarnationBorn = revision
        incarnationAuthor = author
    }

    static let sectionDeletion: UInt32 = 1 << 31

    /// The record of a number that was never in use.
    static let none = ThingRecord(body: 0, sequence: 0)

    /// The record of a number that is not in use any more.
    static func none(generation: UInt16) -> ThingRecord {
        ThingRecord(body: 0, sequence: 0, generation: generation)
    }

    var isAlive: Bool { deletion == 0 }
    /// The author that deleted it, if it is deleted.
    var deletionAuthor: AuthorID { deletion & ~ThingRecord.sectionDeletion }
    /// Whether a `deleteSection` deleted it, and no delete has named it since.
    var wasDeletedWithSection: Bool { deletion & ThingRecord.sectionDeletion != 0 }
    var isSection: Bool { sequence != 0 }
}

/// Content that was replaced in a revision.
struct VersionRecord: BitwiseCopyable {
    /// The revision that replaced it.
    var revision: Revision
    /// Whose content it was; 0 in a record that is not in use.
    var thing: ThingID
    /// The thing's body until then.
    var body: BlobStore.Reference
    /// The content replaced before, by an earlier revision; it may be forgotten.
    var previous: VersionID

    static let none = VersionRecord(revision: .max, thing: 0, body: 0, previous: 0)
}
