import SyncLayout
import SyncModel

/// The effective options of a section: its own, else the collection's, else the layout's defaults,
/// all with lengths that can be laid out.
struct PlainOptions: Sendable {
    let itemSize: ListSize
    let sectionInset: Insets
    let supplementaries: [CustomSupplementary]
    let decorations: [Decoration]
    let interitemSpacing: Double
    let lineSpacing: Double
    let headerReferenceSize: ListSize
    let footerReferenceSize: ListSize
    let headersPin: Bool
    let footersPin: Bool
    let alignment: LayoutOptions.Alignment
    let lineAlignment: LayoutOptions.LineAlignment
    let insetReference: LayoutOptions.InsetReference
    let minimumColumnWidth: Double
    let cellHeight: Double
    let fit: LayoutOptions.ColumnFit
    let columnCount: Int
    let columnSpacing: Double
    let headerHeight: Double
    let footerHeight: Double
    let headerInset: Insets
    let footerInset: Insets
    let sizing: LayoutOptions.Sizing
    let renderDirection: LayoutOptions.RenderDirection

    init(_ own: LayoutOptions, in spec: LayoutSpec) {
        func given<Value>(_ option: KeyPath<LayoutOptions, Value?>) -> Value? {
            own[keyPath: option] ?? spec.options[keyPath: option]
        }
        let kind = spec.kind
        let none = ListSize(width: 0, height: 0)
        interitemSpacing = given(\.minimumInteritemSpacing)?.length ?? 10
        lineSpacing = given(\.minimumLineSpacing)?.length ?? (kind == .line ? 50 : 10)
        itemSize = given(\.itemSize)?.lengths ?? PlainOptions.itemSize(of: kind)
        let inset = kind == .columnFlow ? Insets(top: interitemSpacing) : Insets()
        sectionInset = given(\.sectionInset)?.distances ?? inset
        supplementaries = (given(\.supplementaries) ?? []).map {
            CustomSupplementary(
                kind: $0.kind, place: $0.place, size: $0.size.lengths,
                offset: ListPoint(x: $0.offset.x.distance, y: $0.offset.y.distance),
                zIndex: $0.zIndex)
        }
        decorations = (given(\.decorations) ?? []).map {
            // Sections of a circle have no parts.
            Decoration(
                kind: $0.kind, cover: kind == .circle ? .content : $0.cover,
                inset: $0.inset.distances, zIndex: $0.zIndex)
        }
        headerReferenceSize = given(\.headerReferenceSize)?.lengths ?? none
        footerReferenceSize = given(\.footerReferenceSize)?.lengths ?? none
        headersPin = given(\.sectionHeadersPinToVisibleBounds) ?? false
        footersPin = given(\.sectionFootersPinToVisibleBounds) ?? false
        alignment = given(\.alignment) ?? .justify
        lineAlignment = given(\.lineAlignment) ?? .center
        insetReference =
            given(\.sectionInsetReference) ?? (kind == .columnFlow ? .safeArea : .contentInset)
        minimumColumnWidth = given(\.minColumnWidth)?.length ?? 300
        cellHeight = given(\.cellHeight)?.length ?? 70
        fit = given(\.fit) ?? .plain
        columnCount = max(1, given(\.columnCount) ?? 2)
        columnSpacing = given(\.minimumColumnSpacing)?.length ?? 10
        headerHeight = given(\.headerHeight)?.length ?? 0
        footerHeight = given(\.footerHeight)?.length ?? 0
        headerInset = given(\.headerInset)?.distances ?? Insets()
        footerInset = given(\.footerInset)?.distances ?? Insets()
        sizing = given(\.sizing) ?? .proportional
        renderDirection = given(\.itemRenderDirection) ?? .shortestFirst
    }

    private static func itemSize(of kind: LayoutSpec.Kind) -> ListSize {
        switch kind {
        case .line: ListSize(width: 200, height: 200)
        case .circle: ListSize(width: 70, height: 70)
        case .flow, .columnFlow, .mosaic, .waterfall: ListSize(width: 50, height: 50)
        }
    }

    /// The insets that lengths of the section are sums of.
    var distances: [Double] {
        [sectionInset, headerInset, footerInset].flatMap(\.sides)
    }

    /// The sizes of a section's items before the layout changes them.
    func sizes(of section: SectionInput) -> [ListSize] {
        switch section.items {
        case .count(let count): Array(repeating: itemSize, count: max(0, count))
        case .sizes(let sizes): sizes.map { $0?.lengths ?? itemSize }
        }
    }
}

extension Insets {
    /// All four distances.
    var sides: [Double] { [top, left, bottom, right] }
}
