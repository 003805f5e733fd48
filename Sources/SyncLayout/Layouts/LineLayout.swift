import SyncModel

/// One line of items; those near the middle of the screen are larger.
package struct LineLayout: ListLayout {
    package var zoomFactor: Double
    /// The distance from the middle within which items are larger.
    package var activeDistance: Double
    private let flow: FlowLayout

    package init(
        options: LayoutOptions = LayoutOptions(),
        scrollDirection: LayoutSpec.ScrollDirection = .horizontal, isRightToLeft: Bool = false,
        zoomFactor: Double = 0.3, activeDistance: Double = 200
    ) {
        var options = options
        options.itemSize = options.itemSize ?? ListSize(width: 200, height: 200)
        options.minimumLineSpacing = options.minimumLineSpacing ?? 50
        var flow = FlowLayout(
            options: options, scrollDirection: scrollDirection, isRightToLeft: isRightToLeft)
        flow.hasOneAcross = true
        self.flow = flow
        self.zoomFactor = zoomFactor.length
        self.activeDistance = activeDistance.length
    }

    package var options: LayoutOptions { flow.options }
    package var scrollDirection: LayoutSpec.ScrollDirection { flow.scrollDirection }
    package var isRightToLeft: Bool { flow.isRightToLeft }
    package var roundsOrigins: Bool { true }
    package var adjustsCells: Bool { true }
    package var centersCells: Bool { true }

    package func plan(
        _ section: LayoutSection, in environment: LayoutEnvironment
    ) throws(LayoutError) -> SectionPlan {
        try flow.plan(section, in: environment)
    }

    package func adjust(_ cell: inout LayoutElement, in bounds: ListRect) {
        let distance = abs(
            scrollDirection.main(cell.frame.center) - scrollDirection.main(bounds.center))
        guard distance < activeDistance - Double.tolerance else { return }
        cell.scale = 1 + zoomFactor * (1 - distance / activeDistance)
        cell.zIndex = 1
    }
}
