public import SyncModel
import SyncWire

/// Some items of a room at one revision.
///
///     var page = try await client.items(of: "groceries", limit: 100)
///     while true {
///         for found in page.items { print(found.path, found.section, found.item.id) }
///         guard let next = page.next else { break }
///         page = try await client.items(
///             of: "groceries", after: next, limit: 100, at: page.revision, origin: page.origin)
///     }
public struct RoomItems: Sendable, Equatable {
    /// An item, and where it is.
    public struct Found: Sendable, Equatable {
        /// The item with all its content.
        public let item: Item
        /// The item's place.
        public let path: ItemPath
        /// The id of its section.
        public let section: Identifier

        /// Makes an item that was found.
        public init(item: Item, path: ItemPath, section: Identifier) {
            self.item = item
            self.path = path
            self.section = section
        }
    }

    /// The revision whose items they are.
    public let revision: Revision
    /// The history that the revision belongs to.
    public let origin: RoomOrigin
    /// The items.
    public let items: [Found]
    /// Where to go on: there is more to look at behind this item. `nil` at the end.
    public let next: Identifier?

    /// Makes a result.
    public init(revision: Revision, origin: RoomOrigin, items: [Found], next: Identifier? = nil) {
        self.revision = revision
        self.origin = origin
        self.items = items
        self.next = next
    }

    /// Reads a server's answer; `nil` if it is no whole one.
    init?(_ answer: Items) {
        guard let origin = answer.origin else { return nil }
        let names = Dictionary(answer.sections.map { ($0.index, $0.id) }) { first, _ in first }
        var items: [Found] = []
        for placed in answer.items {
            guard let section = names[placed.path.section] else { return nil }
            items.append(Found(item: placed.item, path: placed.path, section: section))
        }
        self.init(
            revision: answer.revision, origin: RoomOrigin(origin), items: items, next: answer.next)
    }
}
