import SyncModel

/// Flags that have names in JSON.
protocol NamedFlags: OptionSet, Sendable where RawValue == UInt8 {
    /// The flags, in the order in which they are written.
    static var named: [(name: StaticString, flag: Self)] { get }
    /// The flags that are set by default.
    static var all: Self { get }
}

extension ItemFlags: NamedFlags {
    static let named: [(name: StaticString, flag: ItemFlags)] = [
        ("movable", .movable), ("editable", .editable), ("deletable", .deletable),
        ("selectable", .selectable), ("highlightable", .highlightable),
    ]
}

extension SectionFlags: NamedFlags {
    static let named: [(name: StaticString, flag: SectionFlags)] = [("acceptsMoves", .acceptsMoves)]
}

extension JSONNode {
    /// New values for the flags that the object names.
    func flagChanges<Flags: NamedFlags>(
        _: Flags.Type
    ) throws(JSONError) -> FlagChanges<Flags> {
        var changed: UInt8 = 0
        var enabled: UInt8 = 0
        for member in try members() {
            let known = Flags.named.first { member.isNamed(JSONName($0.name)) }
            guard let bit = known?.flag.rawValue else {
                throw member.unknownKey(
                    among: Flags.named.map { JSONName($0.name) })
            }
            changed |= bit
            if try member.node.bool() { enabled |= bit }
        }
        return FlagChanges(changed: Flags(rawValue: changed), enabled: Flags(rawValue: enabled))
    }

    /// The flags of a new item or section: all except those that are false in the object.
    func flags<Flags: NamedFlags>(_ kind: Flags.Type) throws(JSONError) -> Flags {
        try flagChanges(kind).applied(to: .all)
    }
}

extension JSONWriter {
    /// Writes the flags that are false as the member `flags`; nothing if there are none.
    mutating func write<Flags: NamedFlags>(flags: Flags) {
        guard flags.rawValue & Flags.all.rawValue != Flags.all.rawValue else { return }
        key("flags")
        beginObject()
        for (name, flag) in Flags.named where flags.rawValue & flag.rawValue == 0 {
            key(name)
            write(bool: false)
        }
        endObject()
    }
}
