package import SyncLayout
package import SyncModel

/// The changes on the screen of a view.
package struct ViewLine: Sendable, Equatable {
    /// What an element shows: an item for elements of an item, else the section.
    package enum Content: Sendable, Equatable {
        case item(Item)
        case section(ListSection)
    }

    /// An element that appeared, changed or disappeared.
    package struct Entry: Sendable, Equatable {
        /// Its state before; for one that appears, its state when it begins to appear.
        package var from: LayoutElement
        /// Its state now; for one that disappears, its state at the end.
        package var to: LayoutElement
        /// The id of its item or section; `nil` if it is unknown.
        package var id: Identifier?
        /// Its new content, if that changed; `nil` for an element that disappears.
        package var content: Content?

        package init(
            from: LayoutElement, to: LayoutElement, id: Identifier? = nil, content: Content? = nil
        ) {
            self.from = from
            self.to = to
            self.id = id
            self.content = content
        }
    }

    /// The name that the program gave the view.
    package var view: String
    /// The revision of the room on the screen.
    package var revision: Revision
    /// The new content size, if it changed.
    package var contentSize: ListSize?
    /// The new place of the bounds, if they moved to keep in place what is on the screen.
    package var offset: ListPoint?
    /// Whether the layout changed: elements that appear then begin at their places in the old one.
    package var isTransition: Bool
    /// Whether the screen is incomplete; the rest comes with the view's next line.
    package var hasMore: Bool
    package var appeared: [Entry]
    package var changed: [Entry]
    package var disappeared: [Entry]

    package init(
        view: String, revision: Revision, contentSize: ListSize? = nil, offset: ListPoint? = nil,
        isTransition: Bool = false, hasMore: Bool = false, appeared: [Entry] = [],
        changed: [Entry] = [],
        disappeared: [Entry] = []
    ) {
        self.view = view
        self.revision = revision
        self.contentSize = contentSize
        self.offset = offset
        self.isTransition = isTransition
        self.hasMore = hasMore
        self.appeared = appeared
        self.changed = changed
        self.disappeared = disappeared
    }
}

// MARK: Writing

extension JSONWriter {
    /// - Parameter limit: with more bytes it leaves out elements that follow.
    mutating func write(_ line: ViewLine, atMost limit: Int = .max) {
        beginObject()
        key("view")
        write(text: line.view)
        member("revision", line.revision)
        if let size = line.contentSize {
            key("contentSize")
            write(size)
        }
        if let offset = line.offset {
            key("offset")
            write(offset)
        }
        if line.isTransition {
            key("transition")
            write(bool: true)
        }
        if line.hasMore {
            key("more")
            write(bool: true)
        }
        list("appeared", line.appeared) { (writer: inout JSONWriter, entry) in
            guard writer.count <= limit else { return }
            writer.write(entry, "element", entry.to, "initial", entry.from)
        }
        list("changed", line.changed) { (writer: inout JSONWriter, entry) in
            guard writer.count <= limit else { return }
            writer.write(entry, "from", entry.from, "to", entry.to)
        }
        list("disappeared", line.disappeared) { (writer: inout JSONWriter, entry) in
            guard writer.count <= limit else { return }
            writer.write(entry, "element", entry.from, "final", entry.to)
        }
        endObject()
    }

    private mutating func write(
        _ entry: ViewLine.Entry, _ firstKey: StaticString, _ first: LayoutElement,
        _ secondKey: StaticString, _ second: LayoutElement
    ) {
        beginObject()
        key(firstKey)
        write(first, id: entry.id)
        key(secondKey)
        write(second, id: entry.id)
        switch entry.content {
        case .item(let item):
            key("content")
            write(item)
        case .section(let section):
            key("content")
            write(section)
        case nil: break
        }
        endObject()
    }
}
