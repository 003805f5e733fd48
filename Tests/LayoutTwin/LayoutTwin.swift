package import SyncLayout
package import SyncModel

/// A plain implementation of all layouts: it computes every frame of every item in order, slowly.
/// Tests compare the layout engine with it.
///
/// Its only state are its results, arrays in content order. It works in these steps:
///
/// 1. ``PlainOptions`` merges a section's options, the collection's and the defaults, and replaces
///    numbers that are no lengths.
/// 2. ``FlowLines``, ``MosaicSegments`` or ``WaterfallColumns`` place a section's items, measured
///    from where the items begin; ``PlainCircle`` places all.
/// 3. ``PlainStack`` stacks the sections, with everything around their items, and pins headers and
///    footers to the viewport.
/// 4. Here, line zoom, mirroring and rounding come last, in this order.
///
/// Time and memory grow with the number of items, for any question. It has no limits: those are the
/// engine's.
package struct LayoutTwin: Sendable {
    package private(set) var contentSize = ListSize(width: 0, height: 0)
    /// All elements in content order.
    package private(set) var elements: [LayoutElement] = []
    /// Whether all numbers are multiples of a small power of two, so that their sums are the same
    /// in any order.
    package private(set) var isExact = true
    /// The largest number that was added to others; correct sums may differ by a small part of it.
    package private(set) var largest = 0.0
    /// Whether a decision depended on less than a rounding error, so that another order of
    /// additions may correctly give another layout.
    package private(set) var isKnifeEdge = false

    private let spec: LayoutSpec
    private let environment: LayoutEnvironment
    private let axes: Axes

    /// Lays out sections for a viewport. Only the offset of `bounds` counts.
    package init(
        _ spec: LayoutSpec, in given: LayoutEnvironment, sections: [SectionInput], bounds: ListRect
    ) {
        self.spec = spec
        environment = given.withPlainNumbers
        axes = Axes(of: spec)
        guard !sections.isEmpty else { return }

        let decisions = Decisions()
        let surroundings = environment.numbers
        surroundings.forEach(decisions.meet)
        var stack =
            if spec.kind == .circle {
                PlainCircle.stack(sections, spec: spec, viewport: environment.viewport)
            } else {
                PlainStack(sections, spec: spec, environment: environment, decisions: decisions)
            }
        contentSize = stack.contentSize
        let visible = visibleStart(bounds)
        stack.pin(visibleStart: visible)
        elements = stack.sections.indices.flatMap { stack.sections[$0].elements(section: $0) }
        if spec.kind == .line { zoom(visibleStart: visible, decisions) }
        if spec.rtl { mirror() }
        let numbers =
            elements.flatMap { $0.frame.numbers } + [contentSize.width, contentSize.height]
        numbers.forEach(decisions.meet)
        largest = decisions.largest
        isExact = (numbers + surroundings).allSatisfy(\.isExact)
        roundOrigins(decisions)
        isKnifeEdge = decisions.wereClose || (decisions.wereExactlyThere && !isExact)
    }

    /// Where the viewport begins along the scroll axis, in coordinates without mirroring.
    private func visibleStart(_ bounds: ListRect) -> Double {
        guard axes.isHorizontal else { return bounds.y.distance }
        guard spec.rtl else { return bounds.x.distance }
        return contentSize.width - bounds.x.distance - environment.viewport.width
    }

    /// Enlarges the cells near the middle of the viewport.
    private mutating func zoom(visibleStart: Double, _ decisions: Decisions) {
        let factor = spec.zoomFactor?.length ?? 0.3
        let reach = spec.activeDistance?.length ?? 200
        let middle = visibleStart + axes.main(environment.viewport) / 2
        for index in elements.indices where elements[index].isCell {
            let distance = abs(axes.main(elements[index].frame.center) - middle)
            guard decisions.isWithin(distance, reach) else { continue }
            elements[index].scale = 1 + factor * (1 - distance / reach)
            elements[index].zIndex = 1
        }
    }

    private mutating func mirror() {
        for index in elements.indices {
            let frame = elements[index].frame
            elements[index].frame.x = contentSize.width - frame.x - frame.width
        }
    }

    private mutating func roundOrigins(_ decisions: Decisions) {
        guard [.flow, .columnFlow, .line].contains(spec.kind), let scale = environment.pixelScale
        else { return }
        for index in elements.indices {
            let frame = elements[index].frame
            elements[index].frame.x = decisions.rounded(frame.x * scale) / scale
            elements[index].frame.y = decisions.rounded(frame.y * scale) / scale
        }
    }

    // MARK: Questions

    /// The elements that share more than an edge with a rectangle, in content order.
    package func elements(in given: ListRect) -> [LayoutElement] {
        let rect = ListRect(
            x: given.x.distance, y: given.y.distance, width: given.width.length,
            height: given.height.length)
        return elements.filter { $0.frame.intersects(rect) }
    }

    /// Where scrolling ends if it would otherwise end at `proposed`: line moves the nearest cell to
    /// the middle of the viewport, other layouts change nothing.
    package func targetContentOffset(proposed: ListPoint) -> ListPoint {
        guard spec.kind == .line else { return proposed }
        let proposed = ListPoint(x: proposed.x.distance, y: proposed.y.distance)
        let extent = axes.main(environment.viewport)
        let centers = elements.filter(\.isCell).map { axes.main($0.frame.center) }
        guard var nearest = centers.first else {
            let last = max(0, axes.main(contentSize) - extent)
            let offset = min(last, max(0, axes.isHorizontal ? proposed.x : proposed.y))
            return axes.isHorizontal
                ? ListPoint(x: offset, y: proposed.y) : ListPoint(x: proposed.x, y: offset)
        }
        // From very far away, rounding makes all distances equal.
        let first = centers.reduce(nearest, min)
        let last = centers.reduce(nearest, max)
        let middle = min(max(axes.main(proposed) + extent / 2, first - 1), last + 1)
        for center in centers where abs(center - middle) < abs(nearest - middle) {
            nearest = center
        }
        let end = max(0, axes.main(contentSize) - extent)
        let offset = min(end, max(0, nearest - extent / 2))
        return axes.isHorizontal
            ? ListPoint(x: offset, y: proposed.y) : ListPoint(x: proposed.x, y: offset)
    }

    /// The target of an item that is dragged to a point: the path of the first cell there, else the
    /// previous target.
    package func moveTarget(at given: ListPoint, previous: ItemPath?) -> ItemPath? {
        let point = ListPoint(x: given.x.distance, y: given.y.distance)
        for element in elements {
            if case .cell(let path) = element.identity, element.frame.contains(point) {
                return path
            }
        }
        return previous
    }
}

extension LayoutElement {
    fileprivate var isCell: Bool {
        if case .cell = identity { true } else { false }
    }
}

extension ListRect {
    fileprivate var numbers: [Double] { [x, y, width, height] }
}

extension Double {
    /// Whether it is a multiple of 2^-20, and below 2^30.
    fileprivate var isExact: Bool {
        abs(self) < 0x1p30 && (self * 0x1p20).rounded() == self * 0x1p20
    }
}

extension LayoutEnvironment {
    /// All its lengths and distances.
    fileprivate var numbers: [Double] {
        [viewport.width, viewport.height]
            + [contentInset, safeArea, layoutMargins ?? Insets()].flatMap {
                [$0.top, $0.left, $0.bottom, $0.right]
            }
    }

    /// The same environment with lengths and distances that can be laid out.
    fileprivate var withPlainNumbers: LayoutEnvironment {
        LayoutEnvironment(
            viewport: viewport.lengths, contentInset: contentInset.distances,
            safeArea: safeArea.distances, layoutMargins: layoutMargins?.distances,
            pixelScale: pixelScale.flatMap { $0 > 0 && $0.isFinite ? $0 : nil })
    }
}
