/// An item of a section: its id and its content.
///
///     let size = ListSize(width: 100, height: 150)
///     let milk = try Item("milk", ["title": "Milk", "litres": 1.5], kind: "product", size: size)
///     print(milk["title"]?.asText ?? "", milk.flags.contains(.movable))
///
/// An item is changed with ``ListOperation/update(_:set:unset:size:kind:flags:)``; this is a value
/// of its own.
public struct Item: Sendable, Hashable {
    /// The item's id, unique among the items in the room.
    public var id: Identifier
    /// What it holds.
    public var content: ItemContent

    /// Makes an item of content that exists already. For a new item there is
    /// ``init(_:_:kind:size:flags:)``.
    public init(id: Identifier, content: ItemContent = ItemContent()) {
        self.id = id
        self.content = content
    }
}

/// A section of a room: its id and its own content, without its items.
///
///     let size = ListSize(width: 0, height: 30)
///     let header = Supplementary("header", ["title": "Dairy"], size: size)
///     let dairy = try ListSection("dairy", ["title": "Dairy"], supplementaries: [header])
///     try await room.submit(.insertSection(dairy, to: .end))
public struct ListSection: Sendable, Hashable {
    /// The section's id, unique among the sections in the room.
    public var id: Identifier
    /// What it holds besides items.
    public var content: SectionContent

    /// Makes a section of content that exists already. For a new section there is
    /// ``init(_:_:supplementaries:flags:)``.
    public init(id: Identifier, content: SectionContent = SectionContent()) {
        self.id = id
        self.content = content
    }
}

/// What a header, a footer or another view beside a section's items shows. A section has one of
/// each kind at most.
public struct Supplementary: Sendable, Hashable {
    /// Its kind: `header`, `footer` or a name of the program's own.
    public let kind: Identifier
    /// Its size in points; `nil` leaves it to the layout.
    public let size: ListSize?
    /// Its fields, sorted by name.
    public let fields: [Field]

    /// Makes a supplementary of fields in any order. If a name occurs twice, making content with
    /// the supplementary throws ``ModelError/duplicateName(_:)``.
    public init(kind: Identifier, size: ListSize? = nil, fields: [Field] = []) {
        self.kind = kind
        self.size = size
        self.fields = fields.sorted { $0.name < $1.name }
    }
}
