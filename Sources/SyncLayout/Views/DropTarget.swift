public import SyncModel

/// Where a dragged item would be dropped.
public struct DropTarget: Sendable, Hashable {
    /// The section's id.
    public var section: Identifier
    /// The id of the item that would come before it; `nil` if it would be the first of its section.
    public var after: Identifier?

    /// Makes a target.
    public init(section: Identifier, after: Identifier? = nil) {
        self.section = section
        self.after = after
    }

    /// The placement for a move to this target.
    package var placement: Placement {
        Placement(section: section, position: after.map { .after($0) } ?? .index(0))
    }
}

/// An item that another member drags.
public struct DraggedItem: Sendable, Hashable {
    /// The item's id.
    public var item: Identifier
    /// Where it would be dropped; `nil` if the drag is not shared, or if the target is the item's
    /// own place.
    public var target: DropTarget?

    /// Makes a dragged item.
    public init(item: Identifier, target: DropTarget? = nil) {
        self.item = item
        self.target = target
    }
}
