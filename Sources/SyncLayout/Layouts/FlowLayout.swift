import SyncModel

/// Items in lines, one after the other as they fit, with headers and footers.
package struct FlowLayout: ListLayout {
    package var options: LayoutOptions
    package var scrollDirection: LayoutSpec.ScrollDirection
    package var isRightToLeft: Bool
    /// Whether each line has one item.
    var hasOneAcross = false

    package init(
        options: LayoutOptions = LayoutOptions(),
        scrollDirection: LayoutSpec.ScrollDirection = .vertical, isRightToLeft: Bool = false
    ) {
        self.options = options
        self.scrollDirection = scrollDirection
        self.isRightToLeft = isRightToLeft
    }

    package var roundsOrigins: Bool { true }

    package func plan(
        _ section: LayoutSection, in environment: LayoutEnvironment
    ) throws(LayoutError) -> SectionPlan {
        plan(section, common: nil, section.options, in: environment)
    }

    /// A plan for items of the `common` size, or of their own sizes without one.
    func plan(
        _ section: LayoutSection, common: ListSize?, _ options: LayoutOptions,
        in environment: LayoutEnvironment
    ) -> SectionPlan {
        let insets = scrollDirection.insets((options.sectionInset ?? Insets()).distances)
        let metrics = metrics(options, insets, environment)
        var plan = SectionPlan(
            body: FlowBody(section.sizes, common: common, metrics, work: section.work))
        plan.leadInset = insets.mainLead
        plan.trailInset = insets.mainTrail
        plan.header = SectionPlan.Band(
            length: scrollDirection.main((options.headerReferenceSize ?? .zero).lengths),
            pins: options.sectionHeadersPinToVisibleBounds ?? false)
        plan.footer = SectionPlan.Band(
            length: scrollDirection.main((options.footerReferenceSize ?? .zero).lengths),
            pins: options.sectionFootersPinToVisibleBounds ?? false)
        return plan
    }

    private func metrics(
        _ options: LayoutOptions, _ insets: AxisInsets, _ environment: LayoutEnvironment
    ) -> FlowBody.Metrics {
        let environment = isRightToLeft ? environment.mirrored : environment
        let content = scrollDirection.insets(environment.contentInset)
        let reference =
            switch options.sectionInsetReference ?? .contentInset {
            case .contentInset: content
            case .safeArea: scrollDirection.insets(environment.safeArea)
            case .layoutMargins: scrollDirection.insets(environment.layoutMargins ?? Insets())
            }
        var metrics = FlowBody.Metrics()
        metrics.direction = scrollDirection
        metrics.lineStart = reference.crossLead - content.crossLead + insets.crossLead
        metrics.available = max(
            0, scrollDirection.cross(environment.viewport) - reference.cross - insets.cross)
        metrics.spacing = (options.minimumInteritemSpacing ?? 10).length
        metrics.lineSpacing = (options.minimumLineSpacing ?? 10).length
        metrics.alignment = options.alignment ?? .justify
        metrics.lineAlignment = options.lineAlignment ?? .center
        metrics.hasOneAcross = hasOneAcross
        return metrics
    }
}

extension ListSize {
    static let zero = ListSize(width: 0, height: 0)
}
