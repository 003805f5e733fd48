/// One thing in a section: its id and its content.
public struct Item: Sendable, Equatable {
    /// The item's name, unique among the items that live in the room.
    public var id: Identifier
    /// What it holds.
    public var content: ItemContent

    /// Makes an item.
    public init(id: Identifier, content: ItemContent = ItemContent()) {
        self.id = id
        self.content = content
    }
}

/// A list of items: its id and its own content, without the items.
public struct ListSection: Sendable, Equatable {
    /// The section's name, unique among the sections that live in the room.
    public var id: Identifier
    /// What it holds besides items.
    public var content: SectionContent

    /// Makes a section.
    public init(id: Identifier, content: SectionContent = SectionContent()) {
        self.id = id
        self.content = content
    }
}

/// What a header, a footer or another view beside a section's items shows.
public struct Supplementary: Sendable, Equatable {
    /// Which one it is: `header`, `footer` or a name of the client's own.
    public let kind: Identifier
    /// Its size in points; without one the layout decides.
    public let size: ListSize?
    /// Its fields, sorted by name.
    public let fields: [Field]

    /// Makes a supplementary.
    public init(kind: Identifier, size: ListSize? = nil, fields: [Field] = []) {
        self.kind = kind
        self.size = size
        self.fields = fields.sorted { $0.name < $1.name }
    }
}
