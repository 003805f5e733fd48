import ModelSupport
import SeededRandom
import SyncLayout
import SyncModel
import SyncWire

/// Messages about views.
extension SplitMix64 {
    mutating func viewRequest() throws -> ViewRequest {
        ViewRequest(
            room: uint32(), view: uint32(), layout: chance(50) ? try viewLayout() : nil,
            bounds: chance(50) ? rect() : nil, overscan: chance(50) ? length() : nil,
            seen: number(), snaps: chance(20),
            anchor: chance(30) ? try viewAnchor() : nil,
            isClosed: chance(20), serial: number())
    }

    private mutating func viewAnchor() throws -> ViewAnchor {
        if chance(30) { return .beginning }
        let distance = ListPoint(x: length(), y: length())
        return .item(ItemAnchor(item: try identifier(), distance: distance))
    }

    mutating func viewLayout() throws -> ViewLayout {
        var layout = ViewLayout(choice() ?? .flow)
        if chance(30) { layout.environment.contentInset = insets() }
        if chance(30) { layout.environment.safeArea = insets() }
        if chance(30) { layout.environment.layoutMargins = insets() }
        if chance(30) { layout.environment.pixelScale = length() }
        layout.spec.scrollDirection = choice()
        layout.spec.rtl = chance(30)
        layout.spec.zoomFactor = maybe { $0.length() }
        layout.spec.activeDistance = maybe { $0.length() }
        layout.spec.minimumContentHeight = maybe { $0.length() }
        layout.spec.options = try layoutOptions()
        return layout
    }

    private mutating func layoutOptions() throws -> LayoutOptions {
        var options = LayoutOptions()
        options.itemSize = maybe { $0.layoutSize() }
        options.sectionInset = maybe { $0.insets() }
        if chance(30) {
            options.supplementaries = try (0..<1 + below(3)).map { _ in try supplementaryKind() }
        }
        if chance(30) {
            options.decorations = try (0..<1 + below(3)).map { _ in
                Decoration(
                    kind: try identifier(), cover: choice() ?? .items, inset: insets(),
                    zIndex: below(4) - 2)
            }
        }
        options.minimumInteritemSpacing = maybe { $0.length() }
        options.minimumLineSpacing = maybe { $0.length() }
        options.headerReferenceSize = maybe { $0.layoutSize() }
        options.footerReferenceSize = maybe { $0.layoutSize() }
        options.sectionHeadersPinToVisibleBounds = maybe { $0.chance(50) }
        options.sectionFootersPinToVisibleBounds = maybe { $0.chance(50) }
        options.alignment = choice()
        options.lineAlignment = choice()
        options.sectionInsetReference = choice()
        options.minColumnWidth = maybe { $0.length() }
        options.cellHeight = maybe { $0.length() }
        options.fit = choice()
        options.columnCount = maybe { $0.below(2001) - 1000 }
        options.minimumColumnSpacing = maybe { $0.length() }
        options.headerHeight = maybe { $0.length() }
        options.footerHeight = maybe { $0.length() }
        options.headerInset = maybe { $0.insets() }
        options.footerInset = maybe { $0.insets() }
        options.sizing = choice()
        options.itemRenderDirection = choice()
        return options
    }

    private mutating func supplementaryKind() throws -> CustomSupplementary {
        let place: CustomSupplementary.Place =
            switch pick(PlaceKind.self) {
            case .beforeItems: .beforeItems
            case .afterItems: .afterItems
            case .atItem: .atItem(choice() ?? .center)
            }
        return CustomSupplementary(
            kind: try identifier(), place: place, size: layoutSize(),
            offset: ListPoint(x: length(), y: length()), zIndex: below(5) - 2)
    }

    private mutating func maybe<Option>(
        _ make: (inout SplitMix64) -> Option
    ) -> Option? {
        chance(30) ? make(&self) : nil
    }

    private mutating func choice<Choice: CaseIterable>() -> Choice? {
        let index = below(Choice.allCases.count + 1)
        return Choice.allCases.dropFirst(index).first
    }

    private mutating func layoutSize() -> ListSize {
        ListSize(width: length(), height: length())
    }

    private mutating func insets() -> Insets {
        Insets(top: length(), left: length(), bottom: length(), right: length())
    }

    mutating func viewUpdate() throws -> ViewUpdate {
        var update = ViewUpdate(
            room: uint32(), view: uint32(), number: number(), serial: number(),
            revision: revision(), isFirst: chance(20), isTransition: chance(20),
            hasMore: chance(20))
        if chance(50) { update.contentSize = ListSize(width: length(), height: length()) }
        if chance(30) { update.shift = ListPoint(x: length(), y: length()) }
        update.appeared = try (0..<below(4)).map { _ in
            .init(key: uint32(), element: try element(), of: try identifier(), initial: patch())
        }
        update.changed = (0..<below(4)).map { _ in .init(key: uint32(), to: patch()) }
        update.disappeared = (0..<below(4)).map { _ in .init(key: uint32(), final: patch()) }
        update.items = try (0..<below(3)).map { _ in try item() }
        update.sections = try (0..<below(3)).map { _ in try section() }
        return update
    }

    private mutating func element() throws -> LayoutElement {
        let path = ItemPath(section: index(), item: index())
        let identity: LayoutElement.Identity =
            switch pick(ElementKind.self) {
            case .cell: .cell(path)
            case .supplementary: .supplementary(kind: try identifier(), section: index())
            case .itemSupplementary: .itemSupplementary(kind: try identifier(), path)
            case .decoration: .decoration(kind: try identifier(), section: index())
            }
        var element = LayoutElement(identity, frame: rect())
        if chance(30) { element.zIndex = below(2001) - 1000 }
        if chance(30) { element.alpha = length() }
        if chance(30) { element.scale = length() }
        element.isHidden = chance(20)
        return element
    }

    private mutating func patch() -> ElementPatch {
        var patch = ElementPatch()
        if chance(30) { patch.section = index() }
        if chance(30) { patch.item = index() }
        if chance(30) { patch.frame = rect() }
        if chance(30) { patch.zIndex = below(2001) - 1000 }
        if chance(30) { patch.alpha = length() }
        if chance(30) { patch.scale = length() }
        if chance(30) { patch.isHidden = chance(50) }
        return patch
    }

    private mutating func rect() -> ListRect {
        ListRect(x: length(), y: length(), width: length(), height: length())
    }

    /// Never −0, which is sent as 0.
    mutating func length() -> Double {
        chance(20) ? 0 : Double(below(200_001) - 100_000) / 8
    }
}
