import SyncModel

/// Where things are on the screen.
extension CollectionLayout {
    /// All elements, in content order, as a viewport at `bounds` shows them.
    ///
    /// - Throws: ``LayoutError/tooManyElements(limit:)``.
    package func elements(bounds: ListRect) throws(LayoutError) -> [LayoutElement] {
        var elements: [LayoutElement] = []
        try collect(nil, bounds, limit: CollectionLayout.elementLimit, &elements)
        return elements
    }

    /// The elements that share more than an edge with a rectangle, in content order, as a viewport
    /// at `bounds` shows them.
    ///
    /// - Parameter limit: how many there may be, at most ``elementLimit``.
    /// - Throws: ``LayoutError/tooManyElements(limit:)`` if there are more, and if more had to be
    ///   looked at than ``lookLimit(forElements:)``.
    package func elements(
        in rect: ListRect, bounds: ListRect, limit: Int = elementLimit
    ) throws(LayoutError) -> [LayoutElement] {
        var elements: [LayoutElement] = []
        // A telephone's screen.
        elements.reserveCapacity(min(max(limit, 0), 32))
        try collect(
            rect.sanitized, bounds, limit: min(max(limit, 0), Self.elementLimit), &elements)
        return elements
    }

    /// Adds the elements in a rectangle to an array, or all of them.
    func collect(
        _ rect: ListRect?, _ bounds: ListRect, limit: Int, _ elements: inout [LayoutElement]
    ) throws(LayoutError) {
        // If there are too many in all, none need be made to see that.
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

    /// How many sections and elements are looked at to find so many elements: ``lookLimit`` at
    /// most, else 16 times as many, but 10,000 where that is fewer. What stands beside a rectangle
    /// is looked at too, but seldom is that more than a few times what is in it.
    package func lookLimit(forElements limit: Int) -> Int {
        min(lookLimit, max(16 * min(limit, Self.elementLimit), 10_000))
    }

    /// Calls `visit` with the elements in a rectangle, or with all, until it returns `false` or
    /// more than `looks` sections and elements were looked at, or ``lookLimit``.
    ///
    /// - Returns: whether neither was the case.
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
        for section in range {
            looks += 1
            guard looks <= limit else { return false }
            let isComplete = SectionElements(self, screen, section).visit(area) { element in
                looks += 1
                guard looks <= limit else { return false }
                if let rect, !rect.intersects(element.frame) { return true }
                return visit(element)
            }
            if !isComplete { return false }
        }
        return true
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

/// What a viewport makes of the layout's coordinates: mirrored, pinned to its edges, rounded.
struct Screen {
    let layout: any ListLayout
    let direction: LayoutSpec.ScrollDirection
    /// The viewport, not mirrored.
    let bounds: ListRect
    /// Where headers and footers pin along the scroll axis.
    let visibleStart: Double
    let visibleEnd: Double
    /// Across what x is mirrored, if it is.
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
        let insets = direction.insets(collection.environment.contentInset)
        let visible = direction.axisRect(bounds)
        visibleStart = visible.main + insets.mainLead
        visibleEnd = visible.mainEnd - insets.mainTrail
        adjustsCells = layout.adjustsCells
        pixelScale = layout.roundsOrigins ? collection.environment.pixelScale : nil
    }

    /// Where to look for what may be in a rectangle of the screen: some more than that, for the
    /// sake of rounding.
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

    /// An element as it is shown.
    func shown(_ element: consuming LayoutElement) -> LayoutElement {
        if adjustsCells, case .cell = element.identity { layout.adjust(&element, in: bounds) }
        if let mirrorWidth {
            element.frame.x = mirrorWidth - element.frame.x - element.frame.width
        }
        if let pixelScale {
            element.frame.x = (element.frame.x * pixelScale).rounded() / pixelScale
            element.frame.y = (element.frame.y * pixelScale).rounded() / pixelScale
        }
        return element
    }
}
