import SyncLayout
import SyncModel

/// The direction in which a layout scrolls. *Main* is along it, *cross* is along a line.
struct Axes: Sendable {
    let isHorizontal: Bool

    init(isHorizontal: Bool) {
        self.isHorizontal = isHorizontal
    }

    init(of spec: LayoutSpec) {
        isHorizontal =
            switch spec.kind {
            case .flow: spec.scrollDirection == .horizontal
            case .line: spec.scrollDirection != .vertical
            case .columnFlow, .circle, .mosaic, .waterfall: false
            }
    }

    func main(_ size: ListSize) -> Double { isHorizontal ? size.width : size.height }
    func cross(_ size: ListSize) -> Double { isHorizontal ? size.height : size.width }

    func main(_ point: ListPoint) -> Double { isHorizontal ? point.x : point.y }

    func mainLead(_ insets: Insets) -> Double { isHorizontal ? insets.left : insets.top }
    func mainTrail(_ insets: Insets) -> Double { isHorizontal ? insets.right : insets.bottom }
    func crossLead(_ insets: Insets) -> Double { isHorizontal ? insets.top : insets.left }
    func crossTrail(_ insets: Insets) -> Double { isHorizontal ? insets.bottom : insets.right }

    func size(main: Double, cross: Double) -> ListSize {
        isHorizontal ? ListSize(width: main, height: cross) : ListSize(width: cross, height: main)
    }

    func rect(main: Double, cross: Double, size: ListSize) -> ListRect {
        isHorizontal
            ? ListRect(x: main, y: cross, width: size.width, height: size.height)
            : ListRect(x: cross, y: main, width: size.width, height: size.height)
    }

    /// A frame moved along the scroll axis.
    func moved(_ frame: ListRect, by distance: Double) -> ListRect {
        var moved = frame
        if isHorizontal { moved.x += distance } else { moved.y += distance }
        return moved
    }

    /// A frame at another place along the scroll axis.
    func placed(_ frame: ListRect, at main: Double) -> ListRect {
        var placed = frame
        if isHorizontal { placed.x = main } else { placed.y = main }
        return placed
    }

    /// Where a frame begins along the scroll axis.
    func start(_ frame: ListRect) -> Double { isHorizontal ? frame.x : frame.y }
}
