package import SyncModel

/// An item, and where on a screen it is to be.
package struct ItemAnchor: Sendable, Hashable {
    /// The item.
    package var item: Identifier
    /// From the origin of the bounds to the item's, along the scroll axis; across it nothing moves.
    package var distance: ListPoint

    /// Makes an anchor; by itself it has the item where the bounds begin.
    package init(item: Identifier, distance: ListPoint = ListPoint()) {
        self.item = item
        self.distance = distance
    }
}
