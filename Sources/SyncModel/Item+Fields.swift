// Things as a program writes and reads them: `Item("milk", ["title": "Milk"])`, `item["title"]`.

extension Item {
    /// Makes an item.
    ///
    /// - Parameters:
    ///   - id: the item's name.
    ///   - fields: what it holds.
    ///   - kind: the reuse identifier a client dequeues a cell by.
    ///   - size: in points.
    ///   - flags: what may be done with it.
    /// - Throws: ``ModelError/badNumber`` for a number that is not finite, ``ModelError/tooDeep`` or
    ///   ``ModelError/duplicateName(_:)`` for a value that can't be.
    public init(
        _ id: Identifier, _ fields: [Identifier: Value] = [:], kind: Identifier? = nil,
        size: ListSize? = nil, flags: ItemFlags = .all
    ) throws(ModelError) {
        self.id = id
        content = try ItemContent(
            kind: kind, size: size, fields: Field.list(of: fields), flags: flags)
    }

    /// The value of a field; `nil` if it has none of that name. O(n) for n bytes of content.
    public subscript(field: Identifier) -> Value? { content[field] }
    /// The reuse identifier a client dequeues a cell by.
    public var kind: Identifier? { content.kind }
    /// The size in points.
    public var size: ListSize? { content.size }
    /// The fields, sorted by name.
    public var fields: [Field] { content.fields }
    /// What may be done with it.
    public var flags: ItemFlags { content.flags }
}

extension ItemContent {
    /// The value of a field; `nil` if it has none of that name. O(n) for n bytes of content.
    public subscript(field: Identifier) -> Value? { fields[field] }
}

extension ListSection {
    /// Makes a section.
    ///
    /// - Parameters:
    ///   - id: the section's name.
    ///   - fields: what it holds besides items.
    ///   - supplementaries: its header, its footer and others.
    ///   - flags: what may be done with it.
    /// - Throws: as ``Item/init(_:_:kind:size:flags:)``.
    public init(
        _ id: Identifier, _ fields: [Identifier: Value] = [:],
        supplementaries: [Supplementary] = [], flags: SectionFlags = .all
    ) throws(ModelError) {
        self.id = id
        content = try SectionContent(
            fields: Field.list(of: fields), supplementaries: supplementaries, flags: flags)
    }

    /// The value of a field; `nil` if it has none of that name. O(n) for n bytes of content.
    public subscript(field: Identifier) -> Value? { content[field] }
    /// The fields, sorted by name.
    public var fields: [Field] { content.fields }
    /// The supplementaries, sorted by kind.
    public var supplementaries: [Supplementary] { content.supplementaries }
    /// What may be done with it.
    public var flags: SectionFlags { content.flags }
}

extension SectionContent {
    /// The value of a field; `nil` if it has none of that name. O(n) for n bytes of content.
    public subscript(field: Identifier) -> Value? { fields[field] }
}

extension Supplementary {
    /// Makes a supplementary.
    ///
    /// - Parameters:
    ///   - kind: `header`, `footer` or a name of the client's own.
    ///   - fields: what it shows.
    ///   - size: in points; without one the layout decides.
    public init(
        _ kind: Identifier, _ fields: [Identifier: Value] = [:], size: ListSize? = nil
    ) {
        self.init(kind: kind, size: size, fields: Field.list(of: fields))
    }

    /// The value of a field; `nil` if it has none of that name.
    public subscript(field: Identifier) -> Value? { fields[field] }
}
