extension LayoutSpec {
    /// The layout that this spec asks for.
    package func makeLayout() -> any ListLayout {
        switch kind {
        case .flow:
            FlowLayout(
                options: options, scrollDirection: scrollDirection ?? .vertical,
                isRightToLeft: rtl)
        case .columnFlow: ColumnFlowLayout(options: options, isRightToLeft: rtl)
        case .line:
            LineLayout(
                options: options, scrollDirection: scrollDirection ?? .horizontal,
                isRightToLeft: rtl, zoomFactor: zoomFactor ?? 0.3,
                activeDistance: activeDistance ?? 200)
        case .circle: CircleLayout(options: options, isRightToLeft: rtl)
        case .mosaic: MosaicLayout(options: options, isRightToLeft: rtl)
        case .waterfall:
            WaterfallLayout(
                options: options, isRightToLeft: rtl,
                minimumContentHeight: minimumContentHeight ?? 0)
        }
    }
}
