// Things as a program writes and reads them: `Item("milk", ["title": "Milk"])`, `item["title"]`.

extension Item {
    /// Makes an item.
    ///
    /// - Parameters:
    ///   - id: the item's id.
    ///   - fields: its fields, by name.
    ///   - kind: the reuse identifier by which an app dequeues a cell.
    ///   - size: in points; without one the layout decides.
    ///   - flags: what may be done with it.
    /// - Throws: ``ModelError/badNumber`` for a number or a length that is not finite,
    ///   ``ModelError/tooDeep`` or ``ModelError/duplicateName(_:)`` for a value that is nested too
    ///   deep, or has a name twice.
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
    /// The reuse identifier by which an app dequeues a cell; `nil` if it has none. O(n) for n bytes
    /// of content.
    public var kind: Identifier? { content.kind }
    /// The size in points; `nil` if the layout decides. O(n) for n bytes of content.
    public var size: ListSize? { content.size }
    /// The fields, sorted by name. O(n) for n bytes of content.
    public var fields: [Field] { content.fields }
    /// What may be done with it. O(n) for n bytes of content.
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
    ///   - id: the section's id.
    ///   - fields: its own fields, by name.
    ///   - supplementaries: its header, its footer and others, each kind once.
    ///   - flags: what may be done with it.
    /// - Throws: as ``Item/init(_:_:kind:size:flags:)``; ``ModelError/duplicateName(_:)`` also for
    ///   a kind that is there twice.
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
    /// The section's own fields, sorted by name. O(n) for n bytes of content.
    public var fields: [Field] { content.fields }
    /// The supplementaries, sorted by kind. O(n) for n bytes of content.
    public var supplementaries: [Supplementary] { content.supplementaries }
    /// What may be done with it. O(n) for n bytes of content.
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
    ///   - kind: `header`, `footer` or a name of the program's own.
    ///   - fields: its fields, by name.
    ///   - size: in points; without one the layout decides.
    public init(
        _ kind: Identifier, _ fields: [Identifier: Value] = [:], size: ListSize? = nil
    ) {
        self.init(kind: kind, size: size, fields: Field.list(of: fields))
    }

    /// The value of a field; `nil` if it has none of that name. O(log n) for n fields.
    public subscript(field: Identifier) -> Value? { fields[field] }
}
