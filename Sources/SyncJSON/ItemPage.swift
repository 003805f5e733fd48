package import SyncModel

/// Some items of a room at a revision, and where each of them is.
package struct ItemPage: Sendable {
    package var revision: Revision
    package var origin: RoomOrigin?
    package var items: [Stage.PlacedItem] = []
    /// The ids of the sections that the items are in, by index.
    package var sections: [Int: Identifier] = [:]
    /// Where to go on; `nil` at the end.
    package var next: Identifier?

    package init(revision: Revision, origin: RoomOrigin?) {
        self.revision = revision
        self.origin = origin
    }
}

extension JSONWriter {
    package mutating func write(_ page: ItemPage) {
        beginObject()
        member("revision", page.revision)
        if let origin = page.origin {
            key("id")
            write(text: origin.id)
            key("epoch")
            write(text: origin.epoch)
        }
        key("items")
        beginList()
        for item in page.items { write(item, of: page) }
        endList()
        if let next = page.next {
            key("next")
            write(text: next.text)
        }
        endObject()
    }

    /// Writes an item with the id of its section, and its place.
    package mutating func write(_ placed: Stage.PlacedItem, of page: ItemPage) {
        beginObject()
        if let section = page.sections[placed.path.section] {
            key("sectionID")
            write(text: section.text)
        }
        writeMembers(of: placed.path)
        key("content")
        write(placed.item)
        endObject()
    }
}
