import SyncLayout
import SyncModel

extension Collsync_V1_Layout {
    init(_ layout: ViewLayout) {
        let (spec, environment) = (layout.spec, layout.environment)
        kind =
            switch spec.kind {
            case .flow: .flow
            case .columnFlow: .columnFlow
            case .line: .line
            case .circle: .circle
            case .mosaic: .mosaic
            case .waterfall: .waterfall
            }
        if environment.contentInset != Insets() {
            contentInset = Collsync_V1_Insets(environment.contentInset)
        }
        if environment.safeArea != Insets() { safeArea = Collsync_V1_Insets(environment.safeArea) }
        if let margins = environment.layoutMargins { layoutMargins = Collsync_V1_Insets(margins) }
        if let scale = environment.pixelScale { pixelScale = scale }
        switch spec.scrollDirection {
        case .vertical: scrollDirection = .vertical
        case .horizontal: scrollDirection = .horizontal
        case nil: break
        }
        rtl = spec.rtl
        if let factor = spec.zoomFactor { zoomFactor = factor }
        if let distance = spec.activeDistance { activeDistance = distance }
        if let height = spec.minimumContentHeight { minimumContentHeight = height }
        takeLengths(spec.options)
        takeRest(spec.options)
        takeWords(spec.options)
    }

    private mutating func takeLengths(_ options: LayoutOptions) {
        if let size = options.itemSize { itemSize = Collsync_V1_Size(size) }
        if let inset = options.sectionInset { sectionInset = Collsync_V1_Insets(inset) }
        if let value = options.minimumInteritemSpacing { minimumInteritemSpacing = value }
        if let value = options.minimumLineSpacing { minimumLineSpacing = value }
        if let size = options.headerReferenceSize { headerReferenceSize = Collsync_V1_Size(size) }
        if let size = options.footerReferenceSize { footerReferenceSize = Collsync_V1_Size(size) }
        if let value = options.minColumnWidth { minColumnWidth = value }
        if let value = options.cellHeight { cellHeight = value }
        if let value = options.minimumColumnSpacing { minimumColumnSpacing = value }
        if let value = options.headerHeight { headerHeight = value }
        if let value = options.footerHeight { footerHeight = value }
        if let inset = options.headerInset { headerInset = Collsync_V1_Insets(inset) }
        if let inset = options.footerInset { footerInset = Collsync_V1_Insets(inset) }
    }

    private mutating func takeRest(_ options: LayoutOptions) {
        if let value = options.sectionHeadersPinToVisibleBounds {
            sectionHeadersPinToVisibleBounds = value
        }
        if let value = options.sectionFootersPinToVisibleBounds {
            sectionFootersPinToVisibleBounds = value
        }
        if let count = options.columnCount { columnCount = Int64(count) }
        supplementaries = (options.supplementaries ?? []).map(Collsync_V1_LayoutSupplementary.init)
        decorations = (options.decorations ?? []).map { decoration in
            var form = Collsync_V1_LayoutDecoration()
            form.kind = decoration.kind.text
            if decoration.inset != Insets() { form.inset = Collsync_V1_Insets(decoration.inset) }
            if decoration.zIndex != -1 { form.zIndex = Int64(decoration.zIndex) }
            switch decoration.cover {
            case .items: break
            case .section: form.cover = .section
            case .content: form.cover = .content
            }
            return form
        }
    }

    private mutating func takeWords(_ options: LayoutOptions) {
        switch options.alignment {
        case .justify: alignment = .justify
        case .leading: alignment = .leading
        case .center: alignment = .center
        case .trailing: alignment = .trailing
        case nil: break
        }
        switch options.lineAlignment {
        case .center: lineAlignment = .center
        case .top: lineAlignment = .top
        case nil: break
        }
        switch options.sectionInsetReference {
        case .contentInset: sectionInsetReference = .contentInset
        case .safeArea: sectionInsetReference = .safeArea
        case .layoutMargins: sectionInsetReference = .layoutMargins
        case nil: break
        }
        switch options.fit {
        case .plain: fit = .plain
        case .gutter: fit = .gutter
        case nil: break
        }
        switch options.sizing {
        case .proportional: sizing = .proportional
        case .absolute: sizing = .absolute
        case nil: break
        }
        switch options.itemRenderDirection {
        case .shortestFirst: itemRenderDirection = .shortestFirst
        case .leftToRight: itemRenderDirection = .leftToRight
        case .rightToLeft: itemRenderDirection = .rightToLeft
        case nil: break
        }
    }
}

extension Collsync_V1_LayoutSupplementary {
    fileprivate init(_ supplementary: CustomSupplementary) {
        kind = supplementary.kind.text
        place =
            switch supplementary.place {
            case .beforeItems: .sectionBefore
            case .afterItems: .sectionAfter
            case .atItem(.topLeading): .itemTopLeading
            case .atItem(.top): .itemTop
            case .atItem(.topTrailing): .itemTopTrailing
            case .atItem(.leading): .itemLeading
            case .atItem(.center): .itemCenter
            case .atItem(.trailing): .itemTrailing
            case .atItem(.bottomLeading): .itemBottomLeading
            case .atItem(.bottom): .itemBottom
            case .atItem(.bottomTrailing): .itemBottomTrailing
            }
        size = Collsync_V1_Size(supplementary.size)
        if supplementary.offset != ListPoint() {
            offset = Collsync_V1_Point()
            offset.x = supplementary.offset.x
            offset.y = supplementary.offset.y
        }
        zIndex = Int64(supplementary.zIndex)
    }
}

extension Collsync_V1_Insets {
    fileprivate init(_ insets: Insets) {
        top = insets.top
        left = insets.left
        bottom = insets.bottom
        right = insets.right
    }
}
