public import SyncModel

/// An item, and where on a screen it is to be.
public struct ItemAnchor: Sendable, Hashable {
    /// The item.
    public var item: Identifier
    /// From the origin of the bounds to the item's, along the scroll axis; across it nothing moves.
    public var distance: ListPoint

    /// Makes an anchor; by itself it has the item where the bounds begin.
    public init(item: Identifier, distance: ListPoint = ListPoint()) {
        self.item = item
        self.distance = distance
    }
}
