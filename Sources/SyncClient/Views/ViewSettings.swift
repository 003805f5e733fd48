package import SyncLayout
package import SyncModel

/// What is to be otherwise about a view. What is not said stays.
package struct ViewSettings: Sendable, Equatable {
    package var layout: ViewLayout?
    /// Where the bounds are to be.
    package var origin: ListPoint?
    /// Whether `origin` is only where scrolling would end, and ends where the layout wants items to
    /// rest.
    package var snaps: Bool
    /// The item that the bounds are to go to, wherever they are.
    package var anchor: ItemAnchor?
    /// How large the bounds are to be.
    package var size: ListSize?
    /// How far beyond the bounds elements are wanted, in points.
    package var overscan: Double?
    /// The caller's number of it, growing: ``ViewChange/answeredSettings`` gives it back.
    package var number: UInt64

    package init(
        layout: ViewLayout? = nil, origin: ListPoint? = nil, snaps: Bool = false,
        anchor: ItemAnchor? = nil, size: ListSize? = nil, overscan: Double? = nil,
        number: UInt64 = 0
    ) {
        self.layout = layout
        self.origin = origin
        self.snaps = snaps
        self.anchor = anchor
        self.size = size
        self.overscan = overscan
        self.number = number
    }
}
