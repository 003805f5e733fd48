/// What may be done with an item. By default everything is allowed.
///
/// The server refuses an operation that a flag forbids with `notAllowed`, whoever sends it.
public struct ItemFlags: OptionSet, Sendable, Hashable {
    /// One bit a flag; the bit's place is the flag's field number in the protocol, less one.
    public let rawValue: UInt8

    /// Makes a set of flags from its bits.
    @inlinable
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The item may be moved.
    @inlinable public static var movable: ItemFlags { ItemFlags(rawValue: 1) }
    /// Its fields, kind and size may be changed. Flags may be changed in any case.
    @inlinable public static var editable: ItemFlags { ItemFlags(rawValue: 2) }
    /// It may be deleted, by itself or with its section.
    @inlinable public static var deletable: ItemFlags { ItemFlags(rawValue: 4) }
    /// Members may show it as selected.
    @inlinable public static var selectable: ItemFlags { ItemFlags(rawValue: 8) }
    /// Members may show it as highlighted.
    @inlinable public static var highlightable: ItemFlags { ItemFlags(rawValue: 16) }
    /// Everything is allowed: the default.
    @inlinable public static var all: ItemFlags { ItemFlags(rawValue: 31) }
}

/// What may be done with a section. By default everything is allowed.
public struct SectionFlags: OptionSet, Sendable, Hashable {
    /// One bit a flag, as in ``ItemFlags``.
    public let rawValue: UInt8

    /// Makes a set of flags from its bits.
    @inlinable
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Items may be moved to places in this section, also within it. It does not concern inserts.
    @inlinable public static var acceptsMoves: SectionFlags { SectionFlags(rawValue: 1) }
    /// Everything is allowed: the default.
    @inlinable public static var all: SectionFlags { SectionFlags(rawValue: 1) }
}

/// New values for some flags; the others stay as they are.
public struct FlagChanges<Flags: OptionSet & Sendable>: Sendable, Equatable
where Flags.RawValue == UInt8 {
    /// The flags that get a new value.
    public var changed: Flags
    /// Those of ``changed`` that are allowed from then on; the rest of them is forbidden.
    public var enabled: Flags

    /// Makes changes; what `enabled` holds beyond `changed` is ignored.
    @inlinable
    public init(changed: Flags = [], enabled: Flags = []) {
        self.changed = changed
        self.enabled = enabled.intersection(changed)
    }

    /// Whether nothing changes.
    @inlinable public var isEmpty: Bool { changed.rawValue == 0 }

    /// `flags` with these changes made.
    @inlinable
    package func applied(to flags: Flags) -> Flags {
        Flags(rawValue: flags.rawValue & ~changed.rawValue | enabled.rawValue)
    }

    /// Whether both change the same flags to the same values.
    public static func == (left: Self, right: Self) -> Bool {
        left.changed.rawValue == right.changed.rawValue
            && left.enabled.rawValue == right.enabled.rawValue
    }
}
