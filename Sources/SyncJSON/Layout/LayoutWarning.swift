package import SyncLayout

/// Options that a layout does not use.
///
/// They are no mistake, so that a client can change only the kind. But a person who writes them
/// means something, so answers to persons name them.
struct LayoutOptionUse {
    let name: String
    let users: [LayoutSpec.Kind]
    let isSet: @Sendable (LayoutSpec) -> Bool

    private init(
        _ name: String, _ users: [LayoutSpec.Kind],
        _ isSet: @escaping @Sendable (LayoutSpec) -> Bool
    ) {
        self.name = name
        self.users = users
        self.isSet = isSet
    }

    private static let flows: [LayoutSpec.Kind] = [.flow, .columnFlow, .line]

    /// The options that some layout does not use, as the table in `Protocol/layouts.md` has them.
    static let all: [LayoutOptionUse] = [
        .init("itemSize", [.flow, .line, .waterfall, .circle]) { $0.options.itemSize != nil },
        .init("sectionInset", [.flow, .columnFlow, .line, .mosaic, .waterfall]) {
            $0.options.sectionInset != nil
        },
        .init("minimumInteritemSpacing", [.flow, .columnFlow, .waterfall]) {
            $0.options.minimumInteritemSpacing != nil
        },
        .init("minimumLineSpacing", flows) { $0.options.minimumLineSpacing != nil },
        .init("headerReferenceSize", flows) { $0.options.headerReferenceSize != nil },
        .init("footerReferenceSize", flows) { $0.options.footerReferenceSize != nil },
        .init("sectionHeadersPinToVisibleBounds", flows + [.waterfall]) {
            $0.options.sectionHeadersPinToVisibleBounds != nil
        },
        .init("sectionFootersPinToVisibleBounds", flows + [.waterfall]) {
            $0.options.sectionFootersPinToVisibleBounds != nil
        },
        .init("alignment", flows) { $0.options.alignment != nil },
        .init("lineAlignment", flows) { $0.options.lineAlignment != nil },
        .init("sectionInsetReference", flows) { $0.options.sectionInsetReference != nil },
        .init("minColumnWidth", [.columnFlow]) { $0.options.minColumnWidth != nil },
        .init("cellHeight", [.columnFlow]) { $0.options.cellHeight != nil },
        .init("fit", [.columnFlow]) { $0.options.fit != nil },
        .init("columnCount", [.waterfall]) { $0.options.columnCount != nil },
        .init("minimumColumnSpacing", [.waterfall]) { $0.options.minimumColumnSpacing != nil },
        .init("headerHeight", [.waterfall]) { $0.options.headerHeight != nil },
        .init("footerHeight", [.waterfall]) { $0.options.footerHeight != nil },
        .init("headerInset", [.waterfall]) { $0.options.headerInset != nil },
        .init("footerInset", [.waterfall]) { $0.options.footerInset != nil },
        .init("sizing", [.waterfall]) { $0.options.sizing != nil },
        .init("itemRenderDirection", [.waterfall]) { $0.options.itemRenderDirection != nil },
        .init("scrollDirection", [.flow, .line]) { $0.scrollDirection != nil },
        .init("zoomFactor", [.line]) { $0.zoomFactor != nil },
        .init("activeDistance", [.line]) { $0.activeDistance != nil },
        .init("minimumContentHeight", [.waterfall]) { $0.minimumContentHeight != nil },
    ]
}

extension LayoutSpec {
    /// Names the options that are set and that the layout does not use; `nil` if it uses all.
    ///
    /// - Parameter sections: sections with options of their own.
    /// - Returns: a text such as `flow does not use columnCount, zoomFactor`.
    package func warning(with sections: [SectionInput] = []) -> String? {
        var unused = LayoutOptionUse.all.filter { !$0.users.contains(kind) }
        var named = Set(unused.filter { $0.isSet(self) }.map(\.name))
        var own = LayoutSpec(kind: kind)
        for section in sections where named.count < unused.count {
            own.options = section.options
            for option in unused where option.isSet(own) { named.insert(option.name) }
        }
        unused.removeAll { !named.contains($0.name) }
        if unused.isEmpty { return nil }
        return "\(kind.rawValue) does not use " + unused.map(\.name).joined(separator: ", ")
    }
}

extension LayoutInput {
    /// See ``/SyncLayout/LayoutSpec/warning(with:)``.
    package var warning: String? { spec.warning(with: sections) }
}
