/// What may be done with an item. All is allowed unless said otherwise.
public struct ItemFlags: OptionSet, Sendable, Hashable {
    /// One bit a flag; the bit's place is the flag's field number in the protocol, less one.
    public let rawValue: UInt8

    /// Makes a set of flags from its bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The item may be moved.
    public static let movable = ItemFlags(rawValue: 1)
    /// Its fields, kind and size may be changed.
    public static let editable = ItemFlags(rawValue: 2)
    /// It may be deleted, by itself or with its section.
    public static let deletable = ItemFlags(rawValue: 4)
    /// It may be selected.
    public static let selectable = ItemFlags(rawValue: 8)
    /// It may be highlighted.
    public static let highlightable = ItemFlags(rawValue: 16)
    /// Everything is allowed: what an item has when nothing is said.
    public static let all = ItemFlags(rawValue: 31)
}

/// What may be done with a section. All is allowed unless said otherwise.
public struct SectionFlags: OptionSet, Sendable, Hashable {
    /// One bit a flag, as in ``ItemFlags``.
    public let rawValue: UInt8

    /// Makes a set of flags from its bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Items may be moved to places in this section.
    public static let acceptsMoves = SectionFlags(rawValue: 1)
    /// Everything is allowed: what a section has when nothing is said.
    public static let all = SectionFlags(rawValue: 1)
}

/// New values for some flags; the others stay.
public struct FlagChanges<Flags: OptionSet & Sendable>: Sendable, Equatable
where Flags.RawValue == UInt8 {
    /// The flags that get a new value.
    public var changed: Flags
    /// Of those, the flags that become true.
    public var enabled: Flags

    /// Makes changes; what `enabled` holds beyond `changed` is ignored.
    public init(changed: Flags = [], enabled: Flags = []) {
        self.changed = changed
        self.enabled = enabled.intersection(changed)
    }

    /// Whether nothing changes.
    public var isEmpty: Bool { changed.rawValue == 0 }

    /// What `flags` become.
    package func applied(to flags: Flags) -> Flags {
        Flags(rawValue: flags.rawValue & ~changed.rawValue | enabled.rawValue)
    }

    /// The same flags to the same values.
    public static func == (left: Self, right: Self) -> Bool {
        left.changed.rawValue == right.changed.rawValue
            && left.enabled.rawValue == right.enabled.rawValue
    }
}
