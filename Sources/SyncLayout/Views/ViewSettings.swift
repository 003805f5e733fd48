package import SyncModel

/// Changes of a view's settings. What is `nil` stays as it is.
package struct ViewSettings: Sendable, Equatable {
    package var layout: ViewLayout?
    /// The new origin of the bounds.
    package var origin: ListPoint?
    /// Whether the bounds go on from `origin` to the next place where the layout lets scrolling
    /// end.
    package var snaps: Bool
    /// Where the bounds are to go.
    package var anchor: ViewAnchor?
    /// The new size of the bounds.
    package var size: ListSize?
    /// How far beyond the bounds elements are wanted, in points.
    package var overscan: Double?
    /// The caller's number of these settings, ascending; ``ViewChange/answeredSettings`` returns
    /// it.
    package var number: UInt64

    package init(
        layout: ViewLayout? = nil, origin: ListPoint? = nil, snaps: Bool = false,
        anchor: ViewAnchor? = nil, size: ListSize? = nil, overscan: Double? = nil,
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
