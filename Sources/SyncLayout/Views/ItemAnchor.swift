package import SyncModel

/// An item, and its place on a screen.
package struct ItemAnchor: Sendable, Hashable {
    /// The item.
    package var item: Identifier
    /// The distance along the scroll axis from the origin of the bounds to the item's. Across it
    /// nothing moves.
    package var distance: ListPoint

    /// Makes an anchor. By default it puts the item at the origin of the bounds.
    package init(item: Identifier, distance: ListPoint = ListPoint()) {
        self.item = item
        self.distance = distance
    }
}
