/// The number of transactions that a room has committed: 0 for a new room, which has one empty
/// section, `main`.
public typealias Revision = UInt64

/// Where an operation puts an item or a section.
///
///     try await room.submit(
///         .insert("milk", ["title": "Milk"], at: .start(of: "dairy")),
///         .move("eggs", to: .after("milk")),
///         .moveSection("dairy", to: .index(0)))
///
/// A sibling is another item for an item, another section for a section. What concurrent edits mean
/// for a place is in `Protocol/merge-rules.md`.
public struct Placement: Sendable, Hashable {
    /// The id of the section that an item goes to; `nil` for a section. Beside a sibling it may be
    /// `nil`, too: then it is the sibling's.
    public var section: Identifier?
    /// The place among the siblings.
    public var position: Position
    /// Earlier siblings, nearest first, for the case that the server has forgotten the one that
    /// ``position`` names. More than ``maximumTrail`` are refused with `limitExceeded`.
    public var trail: [Identifier]

    /// The most siblings that a trail may name.
    public static let maximumTrail = 8

    /// Makes a placement; without arguments, at the end.
    public init(section: Identifier? = nil, position: Position = .end, trail: [Identifier] = []) {
        self.section = section
        self.position = position
        self.trail = trail
    }
}

/// A place among siblings.
public enum Position: Sendable, Hashable {
    /// Behind all siblings.
    case end
    /// Directly behind the sibling with this id.
    case after(Identifier)
    /// Directly before the sibling with this id.
    case before(Identifier)
    /// Behind that many siblings, counted at the transaction's base with its earlier operations
    /// applied, without what is moved: 0 is the beginning. A larger number than there are siblings
    /// is the end.
    case index(UInt64)
}

/// A new value for something that may also have no value.
public enum Change<Wrapped: Sendable & Equatable>: Sendable, Equatable {
    /// It gets this value.
    case set(Wrapped)
    /// It has no value any more.
    case clear
}

extension Change: Hashable where Wrapped: Hashable {}

/// A change of an item's content. What it does not name stays as it is.
public struct ItemPatch: Sendable, Equatable {
    /// Fields that get a new value, in any order.
    public var set: [Field]
    /// The names of fields that are removed.
    public var unset: [Identifier]
    /// What becomes of the size; `nil` keeps it.
    public var size: Change<ListSize>?
    /// What becomes of the kind; `nil` keeps it.
    public var kind: Change<Identifier>?
    /// Flags that get a new value.
    public var flags: FlagChanges<ItemFlags>

    /// Makes a patch; without arguments, one that changes nothing.
    public init(
        set: [Field] = [], unset: [Identifier] = [], size: Change<ListSize>? = nil,
        kind: Change<Identifier>? = nil, flags: FlagChanges<ItemFlags> = FlagChanges()
    ) {
        self.set = set
        self.unset = unset
        self.size = size
        self.kind = kind
        self.flags = flags
    }
}

/// A change of a section's own content. What it does not name stays as it is.
public struct SectionPatch: Sendable, Equatable {
    /// Fields that get a new value, in any order.
    public var set: [Field]
    /// The names of fields that are removed.
    public var unset: [Identifier]
    /// Supplementaries that are new, or replace the one of their kind as a whole.
    public var supplementaries: [Supplementary]
    /// The kinds of supplementaries that are removed.
    public var removedSupplementaries: [Identifier]
    /// Flags that get a new value.
    public var flags: FlagChanges<SectionFlags>

    /// Makes a patch; without arguments, one that changes nothing.
    public init(
        set: [Field] = [], unset: [Identifier] = [], supplementaries: [Supplementary] = [],
        removedSupplementaries: [Identifier] = [],
        flags: FlagChanges<SectionFlags> = FlagChanges()
    ) {
        self.set = set
        self.unset = unset
        self.supplementaries = supplementaries
        self.removedSupplementaries = removedSupplementaries
        self.flags = flags
    }
}

/// One operation of a transaction.
///
///     try await room.submit(
///         .insertSection("done", at: .end),
///         .insert("milk", ["title": "Milk", "count": 1], at: .end(of: "main")),
///         .increment("milk", field: "count", by: 2),
///         .update("eggs", set: ["title": "Ten eggs"], unset: ["note"]),
///         .move("bread", to: .start(of: "done")),
///         .delete("tea"))
///
/// An operation can lose against what others did: its transaction stands, and ``Commit/superseded``
/// names it and the reason. If an operation makes no sense, its whole transaction is refused
/// (``Rejection``).
public enum ListOperation: Sendable, Equatable {
    /// Adds a new item. It loses if an item of that id is in the room.
    case insert(Item, to: Placement)
    /// Deletes the item of this id. Deleting what is deleted already is no loss.
    case delete(Identifier)
    /// Moves the item of this id, also to another section. Of concurrent moves the last one wins.
    /// It loses if the item was deleted, but brings back an item that others deleted only with its
    /// section.
    case move(Identifier, to: Placement)
    /// Changes the content of the item of this id, each field for itself. It loses if the item was
    /// deleted.
    case update(Identifier, ItemPatch)
    /// Adds to a number in a field of the item of this id; a missing field counts as 0. It loses if
    /// the item was deleted, the field holds something else than a number, or the sum would not be
    /// finite.
    case increment(Identifier, field: Identifier, by: Double)
    /// Adds a new section without items; the placement names no section. It loses if a section of
    /// that id is in the room.
    case insertSection(ListSection, to: Placement)
    /// Deletes the section of this id, with the items that its author had seen there. It loses if
    /// others' items remain, and then the section stays with those.
    case deleteSection(Identifier)
    /// Moves the section of this id with its items; the placement names no section. It loses if the
    /// section was deleted.
    case moveSection(Identifier, to: Placement)
    /// Changes the own content of the section of this id, each field for itself. It loses if the
    /// section was deleted.
    case updateSection(Identifier, SectionPatch)
    /// Does what the inner operation does, if its item or section has not changed
    /// (``ifUnchanged(since:place:content:fields:)``). The inner operation has no guard of its own.
    indirect case guarded(ListOperation, by: Guard)
}

extension ListOperation {
    /// The field number of the guard in the message `Operation`.
    @inlinable package static var guardNumber: Int { 10 }

    /// What an operation does, by its field number in the protocol's message `Operation`.
    @usableFromInline
    package enum Kind: UInt8, BitwiseCopyable {
        case insert = 1
        case delete = 2
        case move = 3
        case update = 4
        case increment = 5
        case insertSection = 6
        case deleteSection = 7
        case moveSection = 8
        case updateSection = 9

        /// The kind with this number, if there is one. It is written by hand, since a derived
        /// initializer is not inlined.
        @inlinable
        package init?(rawValue: UInt8) {
            switch rawValue {
            case 1: self = .insert
            case 2: self = .delete
            case 3: self = .move
            case 4: self = .update
            case 5: self = .increment
            case 6: self = .insertSection
            case 7: self = .deleteSection
            case 8: self = .moveSection
            case 9: self = .updateSection
            default: return nil
            }
        }
    }
}

/// Operations that are applied together or not at all.
///
///     let transaction = ListTransaction(
///         base: list.revision ?? 0, operations: [.delete("milk"), .delete("eggs")])
///     try await room.submit(transaction.operations, base: transaction.base)
public struct ListTransaction: Sendable, Equatable {
    /// The last revision that the author had seen when it made the operations. The room's revision
    /// must not be below it.
    public var base: Revision
    /// The operations, in order.
    public var operations: [ListOperation]
    /// Whether the whole transaction is refused with ``Rejection/Code/conflict`` if a guard of it
    /// has changed. Otherwise only the guard's own operation is lost.
    public var isAllOrNothing: Bool

    /// Whether the base is revision 0 of another room (B3). A room decides that by the origin of
    /// the base. The log says it, and no message does.
    package var hasSeenNothing = false

    /// Makes a transaction.
    public init(base: Revision, operations: [ListOperation], isAllOrNothing: Bool = false) {
        self.base = base
        self.operations = operations
        self.isAllOrNothing = isAllOrNothing
    }
}
