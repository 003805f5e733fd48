import SyncModel

/// Our model as the classes that swift-protobuf generates from the schema. It is written from the
/// schema alone, without our codec.
extension Collsync_V1_Value {
    init(_ value: Value) {
        switch value {
        case .null: null = true
        case .bool(let flag): bool = flag
        case .number(let number):
            if let integer = Int64(exactly: number), abs(number) <= 9_007_199_254_740_992 {
                self.integer = integer
            } else {
                double = number
            }
        case .text(let text): self.text = text
        case .list(let values): list.values = values.map(Collsync_V1_Value.init)
        case .object(let fields): object.fields = fields.map(Collsync_V1_Field.init)
        }
        if case .list(let values) = value, values.isEmpty { list = Collsync_V1_List() }
        if case .object(let fields) = value, fields.isEmpty { object = Collsync_V1_Object() }
    }
}

extension Collsync_V1_Field {
    init(_ field: Field) {
        name = field.name.text
        value = Collsync_V1_Value(field.value)
    }
}

extension Collsync_V1_Size {
    init(_ size: ListSize) {
        width = size.width
        height = size.height
    }
}

extension Collsync_V1_ItemFlags {
    /// The flags in `changed`; `nil` if there are none.
    init?(_ changed: ItemFlags, enabled: ItemFlags) {
        if changed.isEmpty { return nil }
        if changed.contains(.movable) { movable = enabled.contains(.movable) }
        if changed.contains(.editable) { editable = enabled.contains(.editable) }
        if changed.contains(.deletable) { deletable = enabled.contains(.deletable) }
        if changed.contains(.selectable) { selectable = enabled.contains(.selectable) }
        if changed.contains(.highlightable) { highlightable = enabled.contains(.highlightable) }
    }
}

extension Collsync_V1_SectionFlags {
    init?(_ changed: SectionFlags, enabled: SectionFlags) {
        if changed.isEmpty { return nil }
        acceptsMoves = enabled.contains(.acceptsMoves)
    }
}

extension Collsync_V1_Item {
    init(_ item: Item) {
        id = item.id.text
        if let kind = item.content.kind { self.kind = kind.text }
        if let size = item.content.size { self.size = Collsync_V1_Size(size) }
        fields = item.content.fields.map(Collsync_V1_Field.init)
        let disabled = ItemFlags.all.subtracting(item.content.flags)
        if let flags = Collsync_V1_ItemFlags(disabled, enabled: []) { self.flags = flags }
    }
}

extension Collsync_V1_Supplementary {
    init(_ supplementary: Supplementary) {
        kind = supplementary.kind.text
        if let size = supplementary.size { self.size = Collsync_V1_Size(size) }
        fields = supplementary.fields.map(Collsync_V1_Field.init)
    }
}

extension Collsync_V1_Section {
    init(_ section: ListSection) {
        id = section.id.text
        fields = section.content.fields.map(Collsync_V1_Field.init)
        supplementaries = section.content.supplementaries.map(Collsync_V1_Supplementary.init)
        let disabled = SectionFlags.all.subtracting(section.content.flags)
        if let flags = Collsync_V1_SectionFlags(disabled, enabled: []) { self.flags = flags }
    }
}
