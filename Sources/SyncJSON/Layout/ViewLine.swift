package import SyncLayout
package import SyncModel

/// What became different on the screen of a view.
package struct ViewLine: Sendable, Equatable {
    /// What an element shows: the elements of an item show the item, the others their section.
    package enum Content: Sendable, Equatable {
        case item(Item)
        case section(ListSection)
    }

    /// An element of which something is told.
    package struct Entry: Sendable, Equatable {
        /// How it was before or, where it appears, how it begins to.
        package var from: LayoutElement
        /// How it is now or, where it disappears, how it ends.
        package var to: LayoutElement
        /// What the item is called that it is of, or the section; `nil` where that is not known.
        package var id: Identifier?
        /// What it shows, if that is new; what disappears shows nothing new.
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

    /// The view's name, of the program's choice.
    package var view: String
    /// Of the room on the screen.
    package var revision: Revision
    /// If it is another one than before.
    package var contentSize: ListSize?
    /// Where the bounds are now, if they were moved so that what is on the screen stays there.
    package var offset: ListPoint?
    /// Whether the layout is another one: what appears comes from where it was in the one before.
    package var isTransition: Bool
    /// Whether more is to be on the screen, which comes with the next line about it.
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
    mutating func write(_ line: ViewLine) {
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
            writer.write(entry, "element", entry.to, "initial", entry.from)
        }
        list("changed", line.changed) { (writer: inout JSONWriter, entry) in
            writer.write(entry, "from", entry.from, "to", entry.to)
        }
        list("disappeared", line.disappeared) { (writer: inout JSONWriter, entry) in
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
