/// The number of transactions a room has committed. Revision 0 is the new room.
public typealias Revision = UInt64

/// Where a thing is put.
public struct Placement: Sendable, Equatable {
    /// The section, for an item. It may be left out beside an anchor; sections have none.
    public var section: Identifier?
    /// The place in it.
    public var position: Position
    /// Up to ``maximumTrail`` earlier siblings, nearest first: where to go when the anchor is
    /// forgotten.
    public var trail: [Identifier]

    /// The most siblings a trail may name.
    public static let maximumTrail = 8

    /// Makes a placement; with no position it is the end.
    public init(section: Identifier? = nil, position: Position = .end, trail: [Identifier] = []) {
        self.section = section
        self.position = position
        self.trail = trail
    }
}

/// A place among siblings.
public enum Position: Sendable, Equatable {
    /// Behind all that is there.
    case end
    /// Right behind a sibling.
    case after(Identifier)
    /// Right before a sibling.
    case before(Identifier)
    /// Behind that many siblings, counted as the author saw them.
    case index(UInt64)
}

/// A new value for something that may also have none.
public enum Change<Wrapped: Sendable & Equatable>: Sendable, Equatable {
    /// It becomes this.
    case set(Wrapped)
    /// It is taken away.
    case clear
}

/// New content for an item; what is not named stays.
public struct ItemPatch: Sendable, Equatable {
    /// Fields that get a value.
    public var set: [Field]
    /// Fields that are taken away.
    public var unset: [Identifier]
    /// A new size, or none.
    public var size: Change<ListSize>?
    /// A new kind, or none.
    public var kind: Change<Identifier>?
    /// New values for flags.
    public var flags: FlagChanges<ItemFlags>

    /// Makes a patch.
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

/// New content for a section; what is not named stays.
public struct SectionPatch: Sendable, Equatable {
    /// Fields that get a value.
    public var set: [Field]
    /// Fields that are taken away.
    public var unset: [Identifier]
    /// Supplementaries that are put in place of those of their kind.
    public var supplementaries: [Supplementary]
    /// Kinds of supplementaries that are taken away.
    public var removedSupplementaries: [Identifier]
    /// New values for flags.
    public var flags: FlagChanges<SectionFlags>

    /// Makes a patch.
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

/// One step of a transaction.
public enum ListOperation: Sendable, Equatable {
    /// Puts a new item somewhere.
    case insert(Item, to: Placement)
    /// Takes an item away.
    case delete(Identifier)
    /// Puts an item somewhere else.
    case move(Identifier, to: Placement)
    /// Changes an item's content.
    case update(Identifier, ItemPatch)
    /// Adds to a number in an item's fields; a missing one counts from 0.
    case increment(Identifier, field: Identifier, by: Double)
    /// Puts a new section somewhere; the placement names no section.
    case insertSection(ListSection, to: Placement)
    /// Takes a section away, with the items its author had seen there.
    case deleteSection(Identifier)
    /// Puts a section somewhere else.
    case moveSection(Identifier, to: Placement)
    /// Changes a section's own content.
    case updateSection(Identifier, SectionPatch)
}

extension ListOperation {
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

        /// The kind of that number, if there is one: by hand, since what is derived is not inlined.
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
public struct ListTransaction: Sendable, Equatable {
    /// The last revision the author had seen when it made the operations.
    public var base: Revision
    /// The operations, in order.
    public var operations: [ListOperation]

    /// Makes a transaction.
    public init(base: Revision, operations: [ListOperation]) {
        self.base = base
        self.operations = operations
    }
}
