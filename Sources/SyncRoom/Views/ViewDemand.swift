package import SyncLayout
package import SyncWire

/// What a member wants of a view: a new one, or changes of one that is open. What is not said
/// stays.
package struct ViewDemand: Sendable {
    package var view: ViewNumber
    package var spec: LayoutSpec?
    /// What is set with the layout; its viewport is that of the bounds.
    package var surroundings: LayoutEnvironment?
    package var bounds: ListRect?
    package var overscan: Double?
    /// The last update that the member has taken in.
    package var seen: UInt64
    /// Whether the bounds are only proposed: they come to where the layout wants items to rest.
    package var snaps: Bool
    /// Where the bounds are to go, whatever they are.
    package var anchor: ItemAnchor?
    /// Counts what the member asks of the view.
    package var serial: UInt64

    package init(
        view: ViewNumber, spec: LayoutSpec? = nil, surroundings: LayoutEnvironment? = nil,
        bounds: ListRect? = nil, overscan: Double? = nil, seen: UInt64 = 0,
        snaps: Bool = false, anchor: ItemAnchor? = nil, serial: UInt64 = 0
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
        if let anchor {
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
