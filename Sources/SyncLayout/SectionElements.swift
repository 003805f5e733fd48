import SyncModel

/// The elements of one section, in content order: header, supplementaries, items with theirs,
/// supplementaries, footer, decorations.
struct SectionElements {
    private let collection: CollectionLayout
    private let screen: Screen
    private let index: Int
    private let section: LaidSection
    private let start: Double

    init(_ collection: CollectionLayout, _ screen: Screen, _ index: Int) {
        self.collection = collection
        self.screen = screen
        self.index = index
        section = collection.sections[index]
        start = collection.start(of: index)
    }

    /// Calls `visit` with all elements that may be in an area, or with all elements, until it
    /// returns `false`.
    ///
    /// - Returns: whether it reached the end.
    func visit(_ area: AxisRect?, _ visit: (LayoutElement) -> Bool) -> Bool {
        func visitAll(_ elements: [LayoutElement]) -> Bool {
            elements.allSatisfy { visit(screen.shown($0)) }
        }
        if let header, !visitAll([header]) { return false }
        guard visitAll(section.blocksBefore.map(element)) else { return false }
        guard visitItems(area, visit) else { return false }
        // Elements after the items need all places of the items. Avoid that if the area ends before
        // them.
        if let area, !section.showsEndEarly, section.isContained,
            section.plan.body.reaches(area.mainEnd - start - section.itemsStart)
        {
            return visitCovers(visit)
        }
        guard visitAll(section.blocksBehind.map(element)) else { return false }
        if let footer, !visitAll([footer]) { return false }
        return visitAll(decorations)
    }

    /// Calls `visit` with the decorations that cover all of the content, if the section shows them,
    /// until it returns `false`.
    func visitCovers(_ visit: (LayoutElement) -> Bool) -> Bool {
        section.shared.covers.allSatisfy { !shows($0) || visit(screen.shown(element($0))) }
    }

    private static let everywhere = AxisRect(
        main: -.greatestFiniteMagnitude, cross: -.greatestFiniteMagnitude, mainLength: .infinity,
        crossLength: .infinity)

    private func visitItems(_ area: AxisRect?, _ visit: (LayoutElement) -> Bool) -> Bool {
        let offset = start + section.itemsStart
        var isComplete = true
        section.plan.body.visit(itemsArea(area, offset)) { item, place in
            isComplete = show(item, place, offset, visit)
            return isComplete
        }
        return isComplete
    }

    /// The area to search for items that may have an element in `area`; everywhere without one.
    private func itemsArea(_ area: AxisRect?, _ offset: Double) -> AxisRect {
        guard let area else {
            // Visiting everything is faster than asking for each item: one place may cost as much
            // as its whole line.
            return SectionElements.everywhere
        }
        let overflow = section.itemOverflow
        return AxisRect(
            main: area.main - offset - overflow, cross: area.cross - overflow,
            mainLength: area.mainLength + 2 * overflow,
            crossLength: area.crossLength + 2 * overflow)
    }

    private func show(
        _ item: Int, _ place: AxisRect, _ offset: Double, _ visit: (LayoutElement) -> Bool
    ) -> Bool {
        let cell = cell(item, place, offset)
        let frame = cell.frame
        guard visit(screen.shown(cell)) else { return false }
        return section.atItems.allSatisfy { visit(screen.shown(element($0, of: item, frame))) }
    }

    func element(_ identity: LayoutElement.Identity) -> LayoutElement? {
        switch identity {
        case .cell(let path):
            let place = section.plan.body.place(of: path.item)
            return screen.shown(cell(path.item, place, start + section.itemsStart))
        case .itemSupplementary(let kind, let path):
            guard let entry = section.atItems.first(where: { $0.supplementary.kind == kind })
            else { return nil }
            let place = section.plan.body.place(of: path.item)
            let cell = cell(path.item, place, start + section.itemsStart)
            return screen.shown(element(entry, of: path.item, cell.frame))
        case .supplementary(LayoutElement.header, _):
            return header.map(screen.shown)
        case .supplementary(LayoutElement.footer, _):
            return footer.map(screen.shown)
        case .supplementary(let kind, _):
            let block =
                section.blocksBefore.first { $0.supplementary.kind == kind }
                ?? section.blocksBehind.first { $0.supplementary.kind == kind }
            return block.map { screen.shown(element($0)) }
        case .decoration:
            return decorations.first { $0.identity == identity }.map(screen.shown)
        }
    }

    // MARK: Elements

    private func cell(_ item: Int, _ place: AxisRect, _ offset: Double) -> LayoutElement {
        var place = place
        place.main += offset
        return LayoutElement(
            .cell(ItemPath(section: index, item: item)), frame: screen.direction.rect(place))
    }

    private var header: LayoutElement? {
        let band = section.plan.header
        guard band.length > 0 else { return nil }
        var main = start + band.insets.mainLead
        if band.pins {
            let block = band.length + band.insets.mainTrail
            // If the items reach far enough, the section's end is not needed.
            let reach = screen.visibleStart + block - start - section.itemsStart
            let isFree =
                section.plan.trailInset >= 0 && section.plan.body.reaches(max(reach, 0))
            let limit =
                isFree
                ? Double.infinity
                : start + section.length - section.plan.footer.block - block
            main = max(main, min(screen.visibleStart, limit))
        }
        return element(band, LayoutElement.header, main)
    }

    private var footer: LayoutElement? {
        let band = section.plan.footer
        guard band.length > 0 else { return nil }
        var main = start + section.footerStart + band.insets.mainLead
        if band.pins {
            let limit = start + section.plan.header.block + band.insets.mainLead
            main = min(main, max(screen.visibleEnd - band.length, limit))
        }
        return element(band, LayoutElement.footer, main)
    }

    private func element(
        _ band: SectionPlan.Band, _ kind: Identifier, _ main: Double
    ) -> LayoutElement {
        let place = AxisRect(
            main: main, cross: band.insets.crossLead, mainLength: band.length,
            crossLength: max(0, collection.contentCross - band.insets.cross))
        return LayoutElement(
            .supplementary(kind: kind, section: index), frame: screen.direction.rect(place),
            zIndex: band.pins ? 1 : 0)
    }

    private func element(_ block: LaidSection.Block) -> LayoutElement {
        let place = AxisRect(
            main: start + block.start, cross: 0, mainLength: block.length,
            crossLength: collection.contentCross)
        var frame = screen.direction.rect(place)
        frame.x += block.supplementary.offset.x.distance
        frame.y += block.supplementary.offset.y.distance
        return LayoutElement(
            .supplementary(kind: block.supplementary.kind, section: index), frame: frame,
            zIndex: block.supplementary.zIndex)
    }

    private func element(
        _ entry: (supplementary: CustomSupplementary, corner: CustomSupplementary.Corner),
        of item: Int, _ frame: ListRect
    ) -> LayoutElement {
        let size = entry.supplementary.size.lengths
        let offset = entry.supplementary.offset
        let center = entry.corner.point(of: frame)
        return LayoutElement(
            .itemSupplementary(
                kind: entry.supplementary.kind, ItemPath(section: index, item: item)),
            frame: ListRect(
                x: center.x - size.width / 2 + offset.x.distance,
                y: center.y - size.height / 2 + offset.y.distance,
                width: size.width, height: size.height),
            zIndex: entry.supplementary.zIndex)
    }

    private var decorations: [LayoutElement] {
        guard let decorations = section.options.decorations, !decorations.isEmpty else { return [] }
        return decorations.filter(shows).map(element)
    }

    /// Whether the section shows a decoration of its own.
    private func shows(_ decoration: Decoration) -> Bool {
        coversContent(decoration) ? collection.covers.shows(decoration.kind, in: index) : true
    }

    private func coversContent(_ decoration: Decoration) -> Bool {
        decoration.cover == .content || !collection.layout.stacksSections
    }

    private func element(_ decoration: Decoration) -> LayoutElement {
        var frame = area(of: decoration).inset(by: decoration.inset.distances)
        frame.width = frame.width.length
        frame.height = frame.height.length
        return LayoutElement(
            .decoration(kind: decoration.kind, section: index), frame: frame,
            zIndex: decoration.zIndex)
    }

    private func area(of decoration: Decoration) -> ListRect {
        if coversContent(decoration) {
            let size = collection.contentSize(in: screen.bounds)
            return ListRect(width: size.width, height: size.height)
        }
        let (from, to) =
            decoration.cover == .section
            ? (0, section.length) : (section.areaStart, section.areaEnd)
        return screen.direction.rect(
            AxisRect(
                main: start + from, cross: 0, mainLength: to - from,
                crossLength: collection.contentCross))
    }
}

extension CustomSupplementary.Corner {
    /// The point of a frame.
    func point(of frame: ListRect) -> ListPoint {
        let x =
            switch self {
            case .topLeading, .leading, .bottomLeading: frame.x
            case .top, .center, .bottom: frame.x + frame.width / 2
            case .topTrailing, .trailing, .bottomTrailing: frame.maxX
            }
        let y =
            switch self {
            case .topLeading, .top, .topTrailing: frame.y
            case .leading, .center, .trailing: frame.y + frame.height / 2
            case .bottomLeading, .bottom, .bottomTrailing: frame.maxY
            }
        return ListPoint(x: x, y: y)
    }
}
