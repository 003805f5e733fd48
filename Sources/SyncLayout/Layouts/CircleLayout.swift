package import SyncModel

/// All items of all sections on a circle in the middle of the viewport.
package struct CircleLayout: ListLayout {
    package var options: LayoutOptions
    package var isRightToLeft: Bool

    package init(options: LayoutOptions = LayoutOptions(), isRightToLeft: Bool = false) {
        self.options = options
        self.isRightToLeft = isRightToLeft
    }

    /// The most items on a circle: a visit may have to look at all of them.
    private static let itemLimit = 1 << 26

    package var stacksSections: Bool { false }
    package func itemSize(in options: LayoutOptions) -> ListSize? { nil }

    package func plan(
        _ section: LayoutSection, in environment: LayoutEnvironment
    ) throws(LayoutError) -> SectionPlan {
        if section.totalItems > CircleLayout.itemLimit {
            throw .totalItemCount(limit: CircleLayout.itemLimit)
        }
        let size = section.options.itemSize ?? ListSize(width: 70, height: 70)
        return SectionPlan(
            body: CircleBody(
                sizes: section.sizes, size: size.lengths, first: section.firstItem,
                total: section.totalItems, viewport: environment.viewport))
    }

    package func contentSize(_ stacked: ListSize, in environment: LayoutEnvironment) -> ListSize {
        environment.viewport
    }

    /// Items appear from the middle, and shrink into it.
    package func absent(
        _ element: LayoutElement, appears: Bool, in environment: LayoutEnvironment
    ) -> LayoutElement {
        var element = element
        element.alpha = 0
        guard case .cell = element.identity else { return element }
        element.frame.x = (environment.viewport.width - element.frame.width) / 2
        element.frame.y = (environment.viewport.height - element.frame.height) / 2
        if !appears { element.scale = 0.1 }
        return element
    }
}
