public import SyncModel

/// What an element shows: an item, or the section that a supplementary or a decoration belongs to.
public indirect enum ViewContent: Sendable, Equatable {
    /// The whole item, of a cell or an item's supplementary.
    case item(Item)
    /// The section without its items, of a header, a footer, another supplementary of a section or
    /// a decoration.
    case section(ListSection)

    /// The item or section that this is the content of.
    package var thing: ViewThing {
        switch self {
        case .item(let item): .item(item.id)
        case .section(let section): .section(section.id)
        }
    }
}

/// An item or a section that elements show.
package enum ViewThing: Sendable, Hashable {
    case item(Identifier)
    case section(Identifier)

    /// The thing with an id that elements of an identity show.
    package init(_ id: Identifier, shownBy identity: LayoutElement.Identity) {
        switch identity {
        case .cell, .itemSupplementary: self = .item(id)
        case .supplementary, .decoration: self = .section(id)
        }
    }

    package var id: Identifier {
        switch self {
        case .item(let id), .section(let id): id
        }
    }
}

/// One element on the screen of a view: where it is, and what it shows.
public struct ViewElement: Sendable, Equatable {
    /// The element's number, unique in its view. It stays the same from when the element appears to
    /// when it disappears, also over a lost connection.
    public var key: UInt64
    /// What it is and where it is.
    public var element: LayoutElement
    /// What it shows.
    public var content: ViewContent

    /// Makes an element.
    public init(key: UInt64, element: LayoutElement, content: ViewContent) {
        self.key = key
        self.element = element
        self.content = content
    }
}

/// All elements that a view shows at one moment.
public struct ViewSnapshot: Sendable, Equatable {
    /// The room's revision that the view shows; `nil` before the first update.
    public var revision: Revision?
    /// The size in points of all content that the view can scroll to.
    public var contentSize: ListSize
    /// The part of the content that is on the screen, in the content's coordinates.
    public var bounds: ListRect
    /// The elements on the screen, in the order in which they appeared.
    public var elements: [ViewElement]
    /// Whether the screen is incomplete; the rest comes with the next change.
    public var hasMore = false
    /// See ``ViewChange/answeredSettings``.
    package var answeredSettings: UInt64?

    /// Makes a snapshot.
    public init(
        revision: Revision?, contentSize: ListSize, bounds: ListRect, elements: [ViewElement]
    ) {
        self.revision = revision
        self.contentSize = contentSize
        self.bounds = bounds
        self.elements = elements
    }
}
