package import SyncModel

/// Columns of equal width, with each item below the last item of its column.
package struct WaterfallLayout: ListLayout {
    package var options: LayoutOptions
    package var isRightToLeft: Bool
    package var minimumContentHeight: Double

    /// The most columns of a section.
    package static let columnLimit = 1024

    package init(
        options: LayoutOptions = LayoutOptions(), isRightToLeft: Bool = false,
        minimumContentHeight: Double = 0
    ) {
        self.options = options
        self.isRightToLeft = isRightToLeft
        self.minimumContentHeight = minimumContentHeight.length
    }

    package func plan(
        _ section: LayoutSection, in environment: LayoutEnvironment
    ) throws(LayoutError) -> SectionPlan {
        let options = section.options
        if section.itemCount > SizeList.itemLimit {
            throw .itemCount(section: section.index, limit: SizeList.itemLimit)
        }
        if section.totalItems > SizeList.itemLimit {
            throw .totalItemCount(limit: SizeList.itemLimit)
        }
        section.sizes.makeChunks()
        let insets = (options.sectionInset ?? Insets()).distances
        let metrics = try metrics(options, insets, environment, section.index)
        var plan = SectionPlan(body: ColumnsBody(section.sizes, metrics, work: section.work))
        plan.leadInset = insets.top
        plan.trailInset = insets.bottom
        plan.header = SectionPlan.Band(
            length: (options.headerHeight ?? 0).length,
            insets: scrollDirection.insets((options.headerInset ?? Insets()).distances),
            pins: options.sectionHeadersPinToVisibleBounds ?? false)
        plan.footer = SectionPlan.Band(
            length: (options.footerHeight ?? 0).length,
            insets: scrollDirection.insets((options.footerInset ?? Insets()).distances),
            pins: options.sectionFootersPinToVisibleBounds ?? false)
        return plan
    }

    private func metrics(
        _ options: LayoutOptions, _ insets: Insets, _ environment: LayoutEnvironment,
        _ section: Int
    ) throws(LayoutError) -> ColumnsBody.Metrics {
        var metrics = ColumnsBody.Metrics()
        metrics.columns = max(1, options.columnCount ?? 2)
        if metrics.columns > WaterfallLayout.columnLimit {
            throw .columnCount(section: section, limit: WaterfallLayout.columnLimit)
        }
        metrics.pixelScale = environment.pixelScale ?? 1
        metrics.columnSpacing = (options.minimumColumnSpacing ?? 10).length
        metrics.spacing = (options.minimumInteritemSpacing ?? 10).length
        metrics.start = insets.left
        let content = environment.contentInset
        let whole = max(0, environment.viewport.width - content.left - content.right)
        let available = whole - insets.left - insets.right
        let columns = Double(metrics.columns)
        let width = ((available - (columns - 1) * metrics.columnSpacing) / columns).length
        metrics.columnWidth =
            ColumnsBody.wholePixels(width, metrics.pixelScale) / metrics.pixelScale
        metrics.sizing = options.sizing ?? .proportional
        metrics.direction = options.itemRenderDirection ?? .shortestFirst
        return metrics
    }

    package func contentSize(_ stacked: ListSize, in environment: LayoutEnvironment) -> ListSize {
        ListSize(width: stacked.width, height: max(stacked.height, minimumContentHeight))
    }
}
