package import SyncModel

/// Segments of one, two or three items in a repeating pattern.
package struct MosaicLayout: ListLayout {
    package var options: LayoutOptions
    package var isRightToLeft: Bool

    package init(options: LayoutOptions = LayoutOptions(), isRightToLeft: Bool = false) {
        self.options = options
        self.isRightToLeft = isRightToLeft
    }

    package func itemSize(in options: LayoutOptions) -> ListSize? { nil }

    package func plan(
        _ section: LayoutSection, in environment: LayoutEnvironment
    ) throws(LayoutError) -> SectionPlan {
        let insets = (section.options.sectionInset ?? Insets()).distances
        let content = environment.contentInset
        let width = max(0, environment.viewport.width - content.left - content.right)
        var plan = SectionPlan(
            body: MosaicBody(
                sizes: section.sizes, start: insets.left,
                crossLength: max(0, width - insets.left - insets.right)))
        plan.leadInset = insets.top
        plan.trailInset = insets.bottom
        return plan
    }

    package func contentSize(_ stacked: ListSize, in environment: LayoutEnvironment) -> ListSize {
        ListSize(width: stacked.width, height: max(stacked.height, environment.viewport.height))
    }
}
