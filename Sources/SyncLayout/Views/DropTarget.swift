public import SyncModel

/// A place for an item that is dragged.
public struct DropTarget: Sendable, Hashable {
    /// The section.
    public var section: Identifier
    /// The item that it would stand behind; `nil` if it would be the first of its section.
    public var after: Identifier?

    /// Makes a target.
    public init(section: Identifier, after: Identifier? = nil) {
        self.section = section
        self.after = after
    }

    /// Where a move puts the item that is dropped there.
    package var placement: Placement {
        Placement(section: section, position: after.map { .after($0) } ?? .index(0))
    }
}

/// What somebody drags.
public struct DraggedItem: Sendable, Hashable {
    /// The item.
    public var item: Identifier
    /// Of a drag that is shared: where it would be dropped, if that is another place.
    public var target: DropTarget?

    /// Makes a dragged item.
    public init(item: Identifier, target: DropTarget? = nil) {
        self.item = item
        self.target = target
    }
}
