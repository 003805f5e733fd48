import SyncModel

/// Elements on the screen.
extension CollectionLayout {
    /// All elements, in content order, as a viewport at `bounds` shows them.
    ///
    /// - Throws: ``LayoutError/tooManyElements(limit:)``.
    package func elements(
        bounds: ListRect, limit: Int = elementLimit
    ) throws(LayoutError) -> [LayoutElement] {
        var elements: [LayoutElement] = []
        try collect(nil, bounds, limit: min(max(limit, 0), Self.elementLimit), &elements)
        return elements
    }

    /// The elements that share more than an edge with a rectangle, in content order, as a viewport
    /// at `bounds` shows them.
    ///
    /// - Parameter limit: the greatest number of elements, at most ``elementLimit``.
    /// - Throws: ``LayoutError/tooManyElements(limit:)`` if there are more, or if finding them
    ///   needs more than ``lookLimit(forElements:)`` looks.
    package func elements(
        in rect: ListRect, bounds: ListRect, limit: Int = elementLimit
    ) throws(LayoutError) -> [LayoutElement] {
        var elements: [LayoutElement] = []
        // Enough for the screen of a telephone.
        elements.reserveCapacity(min(max(limit, 0), 32))
        try collect(
            rect.sanitized, bounds, limit: min(max(limit, 0), Self.elementLimit), &elements)
        return elements
    }

    /// Adds the elements in a rectangle to an array, or all elements without one.
    func collect(
        _ rect: ListRect?, _ bounds: ListRect, limit: Int, _ elements: inout [LayoutElement]
    ) throws(LayoutError) {
        // If there are too many in all, don't make any.
        guard rect != nil || sections.reduce(0, { $0 + $1.sizes.count }) <= limit
        else { throw .tooManyElements(limit: limit) }
        let last = elements.count + limit
        let looks = lookLimit(forElements: limit)
        let isComplete = visit(rect, bounds, looks: looks) { element in
            if elements.count == last { return false }
            elements.append(element)
            return true
        }
        guard isComplete else { throw .tooManyElements(limit: limit) }
    }

    /// The number of sections and elements to look at to find so many elements: 16 for each
    /// element, but at least 10,000, and at most ``lookLimit``. The search also passes elements
    /// beside the rectangle, but rarely more than a few times the number inside it.
    package func lookLimit(forElements limit: Int) -> Int {
        min(lookLimit, max(16 * min(limit, Self.elementLimit), 10_000))
    }

    /// Calls `visit` with the elements in a rectangle, or with all. It stops when `visit` returns
    /// `false`, and when it has looked at more than `limit` sections and elements, by default
    /// ``lookLimit``.
    ///
    /// - Returns: whether it reached the end.
    @discardableResult
    func visit(
        _ rect: ListRect?, _ bounds: ListRect, looks limit: Int? = nil,
        _ visit: (LayoutElement) -> Bool
    ) -> Bool {
        guard !sections.isEmpty else { return true }
        let limit = limit ?? lookLimit
        let screen = Screen(self, bounds)
        let area = rect.map { screen.area(around: $0) }
        let range = area.map { sections(from: $0.main, to: $0.mainEnd) } ?? sections.indices
        var looks = 0
        defer { work.looks += looks }
        func look(at element: LayoutElement) -> Bool {
            looks += 1
            guard looks <= limit else { return false }
            if let rect, !rect.intersects(element.frame) { return true }
            return visit(element)
        }
        func showCovers(_ sections: ArraySlice<Int>) -> Bool {
            sections.allSatisfy { SectionElements(self, screen, $0).visitCovers(look) }
        }
        guard showCovers(covers.sections.prefix { $0 < range.lowerBound }) else { return false }
        for section in range {
            looks += 1
            guard looks <= limit, SectionElements(self, screen, section).visit(area, look) else {
                return false
            }
        }
        return showCovers(covers.sections.drop { $0 < range.upperBound })
    }

    /// One element; `nil` if there is no such.
    package func element(_ identity: LayoutElement.Identity, bounds: ListRect) -> LayoutElement? {
        let section: Int
        switch identity {
        case .cell(let path), .itemSupplementary(_, let path):
            guard sections.indices.contains(path.section),
                (0..<sections[path.section].sizes.count).contains(path.item)
            else { return nil }
            section = path.section
        case .supplementary(_, let index), .decoration(_, let index):
            guard sections.indices.contains(index) else { return nil }
            section = index
        }
        return SectionElements(self, Screen(self, bounds), section).element(identity)
    }
}

extension ListRect {
    var sanitized: ListRect {
        ListRect(x: x.distance, y: y.distance, width: width.length, height: height.length)
    }
}

/// Converts the layout's coordinates for a viewport: mirrors, pins to the edges, rounds.
struct Screen {
    let layout: any ListLayout
    let direction: LayoutSpec.ScrollDirection
    /// The viewport, not mirrored.
    let bounds: ListRect
    /// Where headers and footers pin along the scroll axis.
    let visibleStart: Double
    let visibleEnd: Double
    /// The width within which x is mirrored; `nil` if it is not.
    private let mirrorWidth: Double?
    private let pixelScale: Double?
    private let adjustsCells: Bool

    init(_ collection: CollectionLayout, _ bounds: ListRect) {
        layout = collection.layout
        direction = layout.scrollDirection
        mirrorWidth = layout.isRightToLeft ? collection.contentSize(in: bounds).width : nil
        let viewport = collection.environment(in: bounds).viewport
        var bounds = bounds.sanitized
        bounds.width = viewport.width
        bounds.height = viewport.height
        if let mirrorWidth { bounds.x = mirrorWidth - bounds.x - bounds.width }
        self.bounds = bounds
        let shared = collection.environment
        let environment = mirrorWidth == nil ? shared : shared.mirrored
        let insets = direction.insets(environment.contentInset)
        let safe = direction.insets(environment.safeArea)
        let visible = direction.axisRect(bounds)
        visibleStart = visible.main + max(insets.mainLead, safe.mainLead)
        visibleEnd = visible.mainEnd - max(insets.mainTrail, safe.mainTrail)
        adjustsCells = layout.adjustsCells
        pixelScale = layout.roundsOrigins ? collection.environment.pixelScale : nil
    }

    /// The area to search for the elements in a rectangle of the screen. It is somewhat larger,
    /// because frames are rounded.
    func area(around rect: ListRect) -> AxisRect {
        // Beyond this, sums would be infinite.
        let far = 1e307
        var rect = ListRect(
            x: min(max(rect.x, -far), far), y: min(max(rect.y, -far), far),
            width: min(rect.width, far), height: min(rect.height, far))
        if let mirrorWidth { rect.x = mirrorWidth - rect.x - rect.width }
        let area = direction.axisRect(rect)
        let pixel = min(pixelScale.map { 1 / $0 } ?? 0, far)
        let slack = 1 + pixel + 1e-9 * (mirrorWidth ?? 0)
        let mainSlack = slack + 1e-9 * max(abs(area.main), abs(area.mainEnd))
        let crossSlack = slack + 1e-9 * max(abs(area.cross), abs(area.crossEnd))
        return AxisRect(
            main: area.main - mainSlack, cross: area.cross - crossSlack,
            mainLength: area.mainLength + 2 * mainSlack,
            crossLength: area.crossLength + 2 * crossSlack)
    }

    /// An element as the viewport shows it.
    func shown(_ element: consuming LayoutElement) -> LayoutElement {
        if adjustsCells, case .cell = element.identity { layout.adjust(&element, in: bounds) }
        if let mirrorWidth {
            element.frame.x = mirrorWidth - element.frame.x - element.frame.width
        }
        if let pixelScale {
            element.frame.x = (element.frame.x * pixelScale).nearestWhole / pixelScale
            element.frame.y = (element.frame.y * pixelScale).nearestWhole / pixelScale
        }
        return element
    }
}
