package import SyncLayout
package import SyncWire

/// A member's request to open a view or to change an open one. A property that is `nil` stays as it
/// is.
package struct ViewDemand: Sendable {
    package var view: ViewNumber
    package var spec: LayoutSpec?
    /// The environment that comes with the layout. Its viewport is replaced by the size of the
    /// bounds.
    package var surroundings: LayoutEnvironment?
    package var bounds: ListRect?
    package var overscan: Double?
    /// The last update that the member has applied.
    package var seen: UInt64
    /// Whether the bounds are only proposed: the update moves them to a resting place of the
    /// layout.
    package var snaps: Bool
    /// Where the update moves the bounds.
    package var anchor: ViewAnchor?
    /// The number of this request among the member's requests for the view.
    package var serial: UInt64

    package init(
        view: ViewNumber, spec: LayoutSpec? = nil, surroundings: LayoutEnvironment? = nil,
        bounds: ListRect? = nil, overscan: Double? = nil, seen: UInt64 = 0,
        snaps: Bool = false, anchor: ViewAnchor? = nil, serial: UInt64 = 0
    ) {
        self.view = view
        self.spec = spec
        self.surroundings = surroundings
        self.bounds = bounds
        self.overscan = overscan
        self.seen = seen
        self.snaps = snaps
        self.anchor = anchor
        self.serial = serial
    }

    func check(_ policy: RoomPolicy) throws(RoomRefusal) {
        if let bounds {
            let numbers = [bounds.x, bounds.y, bounds.width, bounds.height]
            guard numbers.allSatisfy(\.isFinite), bounds.width >= 0, bounds.height >= 0 else {
                throw RoomRefusal(
                    code: .badView, text: "bounds are finite, and not less than nothing")
            }
        }
        if case .item(let anchor)? = anchor {
            guard anchor.distance.x.isFinite, anchor.distance.y.isFinite else {
                throw RoomRefusal(
                    code: .badView, text: "an item's distance from the bounds is finite")
            }
        }
        if let overscan {
            guard overscan.isFinite, overscan >= 0 else {
                throw RoomRefusal(
                    code: .badView, text: "overscan is finite, and not less than nothing")
            }
            guard overscan <= Double(policy.maximumOverscan) else {
                throw RoomRefusal(
                    code: .limitExceeded,
                    text: "overscan is at most \(policy.maximumOverscan) points")
            }
        }
    }
}
