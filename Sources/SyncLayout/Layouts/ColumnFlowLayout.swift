package import SyncModel

/// As many columns of equal cells as fit into the width.
package struct ColumnFlowLayout: ListLayout {
    package var options: LayoutOptions
    package var isRightToLeft: Bool

    /// The most columns in one line.
    private static let columnLimit = 1e9

    package init(options: LayoutOptions = LayoutOptions(), isRightToLeft: Bool = false) {
        self.options = options
        self.isRightToLeft = isRightToLeft
    }

    package var roundsOrigins: Bool { true }

    /// Cells are as wide as their column, and that depends on the environment.
    package func itemSize(in options: LayoutOptions) -> ListSize? { nil }

    package func plan(
        _ section: LayoutSection, in environment: LayoutEnvironment
    ) throws(LayoutError) -> SectionPlan {
        var options = section.options
        let spacing = (options.minimumInteritemSpacing ?? 10).length
        options.sectionInset = options.sectionInset ?? Insets(top: spacing)
        options.sectionInsetReference = options.sectionInsetReference ?? .safeArea
        let margins = environment.layoutMargins ?? ColumnFlowLayout.margins(options, environment)
        var environment = environment
        environment.layoutMargins = margins
        let available = max(0, environment.viewport.width - margins.left - margins.right)
        let size = ListSize(
            width: columnWidth(options, available, spacing),
            height: (options.cellHeight ?? 70).length)
        return FlowLayout(isRightToLeft: isRightToLeft)
            .plan(section, common: size, options, in: environment)
    }

    /// The default margins. Columns that are counted without their gutter need more than the safe
    /// area: otherwise two such columns would not fit beside each other.
    private static func margins(
        _ options: LayoutOptions, _ environment: LayoutEnvironment
    ) -> Insets {
        let safe = environment.safeArea
        let more = options.fit ?? .plain == .plain ? 16.0 : 0
        return Insets(
            top: safe.top + more, left: safe.left + more, bottom: safe.bottom + more,
            right: safe.right + more)
    }

    private func columnWidth(
        _ options: LayoutOptions, _ available: Double, _ spacing: Double
    ) -> Double {
        let least = (options.minColumnWidth ?? 300).length
        let gutter = options.fit == .gutter ? spacing : 0
        let columns = min(
            available.count(ofLength: least, gap: gutter), ColumnFlowLayout.columnLimit)
        return max(0, ((available - (columns - 1) * gutter) / columns).wholeBelow)
    }
}
