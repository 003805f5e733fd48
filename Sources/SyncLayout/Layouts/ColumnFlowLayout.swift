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
        let margins = environment.layoutMargins ?? ColumnFlowLayout.margins(for: options.fit)
        var environment = environment
        environment.layoutMargins = margins
        let available = max(0, environment.viewport.width - margins.left - margins.right)
        let size = ListSize(
            width: columnWidth(options, available, spacing),
            height: (options.cellHeight ?? 70).length)
        return FlowLayout().plan(section, common: size, options, in: environment)
    }

    /// The default margins. Columns that are counted without their gutter need them: otherwise two
    /// such columns would not fit beside each other.
    private static func margins(for fit: LayoutOptions.ColumnFit?) -> Insets {
        switch fit ?? .plain {
        case .plain: Insets(top: 16, left: 16, bottom: 16, right: 16)
        case .gutter: Insets()
        }
    }

    private func columnWidth(
        _ options: LayoutOptions, _ available: Double, _ spacing: Double
    ) -> Double {
        let least = (options.minColumnWidth ?? 300).length
        switch options.fit ?? .plain {
        case .plain:
            let columns = ColumnFlowLayout.columns(available / least)
            return (available / columns).rounded(.down)
        case .gutter:
            let columns = ColumnFlowLayout.columns((available + spacing) / (least + spacing))
            return max(0, ((available - (columns - 1) * spacing) / columns).rounded(.down))
        }
    }

    private static func columns(_ fitting: Double) -> Double {
        // 0 / 0 is NaN: then use one column.
        fitting >= 1 ? min(fitting.rounded(.down), columnLimit) : 1
    }
}
