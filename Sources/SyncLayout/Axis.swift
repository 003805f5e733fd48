package import SyncModel

/// A rectangle relative to the scroll axis: *main* is the direction of scrolling, *cross* is at
/// right angles to it.
package struct AxisRect: Sendable, Hashable {
    package var main: Double
    package var cross: Double
    package var mainLength: Double
    package var crossLength: Double

    package init(main: Double, cross: Double, mainLength: Double, crossLength: Double) {
        self.main = main
        self.cross = cross
        self.mainLength = mainLength
        self.crossLength = crossLength
    }

    package var mainEnd: Double { main + mainLength }
    package var crossEnd: Double { cross + crossLength }
}

/// Maps x and y to main and cross, and back.
extension LayoutSpec.ScrollDirection {
    package func main(_ size: ListSize) -> Double { self == .vertical ? size.height : size.width }
    package func cross(_ size: ListSize) -> Double { self == .vertical ? size.width : size.height }
    package func main(_ point: ListPoint) -> Double { self == .vertical ? point.y : point.x }
    package func cross(_ point: ListPoint) -> Double { self == .vertical ? point.x : point.y }

    package func size(main: Double, cross: Double) -> ListSize {
        self == .vertical
            ? ListSize(width: cross, height: main) : ListSize(width: main, height: cross)
    }

    package func point(main: Double, cross: Double) -> ListPoint {
        self == .vertical ? ListPoint(x: cross, y: main) : ListPoint(x: main, y: cross)
    }

    package func rect(_ rect: AxisRect) -> ListRect {
        self == .vertical
            ? ListRect(
                x: rect.cross, y: rect.main, width: rect.crossLength, height: rect.mainLength)
            : ListRect(
                x: rect.main, y: rect.cross, width: rect.mainLength, height: rect.crossLength)
    }

    package func axisRect(_ rect: ListRect) -> AxisRect {
        self == .vertical
            ? AxisRect(
                main: rect.y, cross: rect.x, mainLength: rect.height, crossLength: rect.width)
            : AxisRect(
                main: rect.x, cross: rect.y, mainLength: rect.width, crossLength: rect.height)
    }

    package func insets(_ insets: Insets) -> AxisInsets {
        self == .vertical
            ? AxisInsets(
                mainLead: insets.top, mainTrail: insets.bottom, crossLead: insets.left,
                crossTrail: insets.right)
            : AxisInsets(
                mainLead: insets.left, mainTrail: insets.right, crossLead: insets.top,
                crossTrail: insets.bottom)
    }
}

/// Insets relative to the scroll axis.
package struct AxisInsets: Sendable, Hashable {
    package var mainLead = 0.0
    package var mainTrail = 0.0
    package var crossLead = 0.0
    package var crossTrail = 0.0

    package init(
        mainLead: Double = 0, mainTrail: Double = 0, crossLead: Double = 0, crossTrail: Double = 0
    ) {
        self.mainLead = mainLead
        self.mainTrail = mainTrail
        self.crossLead = crossLead
        self.crossTrail = crossTrail
    }

    /// The room that both insets across the scroll axis use.
    package var cross: Double { crossLead + crossTrail }
}
