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
/// 4. Here, line zoom, mirroring and rounding come last, in this order. What is mirrored was laid
///    out for a viewport in a mirror.
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
        surroundings.forEach(decisions.meetAcross)
        var stack =
            if spec.kind == .circle {
                PlainCircle.stack(sections, spec: spec, viewport: environment.viewport)
            } else {
                PlainStack(
                    sections, spec: spec,
                    environment: spec.rtl ? environment.mirrored : environment,
                    decisions: decisions)
            }
        contentSize = stack.contentSize
        let visible = visibleStart(bounds)
        stack.pin(visibleStart: visible)
        elements = stack.elements()
        if spec.kind == .line { zoom(visibleStart: visible, decisions) }
        if spec.rtl { mirror() }
        let numbers =
            elements.flatMap { $0.frame.numbers } + [contentSize.width, contentSize.height]
        numbers.forEach(decisions.meet)
        largest = decisions.largest
        isExact = (numbers + surroundings).allSatisfy(\.isExact)
        roundOrigins(decisions)
        isKnifeEdge = decisions.wereClose || (decisions.wereEqual && !isExact)
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
            elements[index].frame.x = decisions.rounded(frame.x, pixelScale: scale)
            elements[index].frame.y = decisions.rounded(frame.y, pixelScale: scale)
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
        let inset = environment.contentInset
        let least = -axes.mainLead(inset)
        let most = axes.main(contentSize) + axes.mainTrail(inset) - extent
        let wanted = centerOfNearestCell(to: axes.main(proposed) + extent / 2)
            .map { $0 - extent / 2 }
        let offset = max(least, min(most, wanted ?? axes.main(proposed)))
        return axes.isHorizontal
            ? ListPoint(x: offset, y: proposed.y) : ListPoint(x: proposed.x, y: offset)
    }

    /// The centre, along the scroll axis, of the first cell that is at most 1e-6 farther than the
    /// nearest one.
    private func centerOfNearestCell(to place: Double) -> Double? {
        let centers = elements.filter(\.isCell).map { axes.main($0.frame.center) }
        guard let first = centers.min(), let last = centers.max() else { return nil }
        // From very far away, rounding makes all distances equal.
        let middle = min(max(place, first - 1), last + 1)
        let shortest = centers.map { abs($0 - middle) }.min() ?? 0
        return centers.first { abs($0 - middle) <= shortest + 1e-6 }
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
            + [contentInset, safeArea, layoutMargins ?? Insets()].flatMap(\.sides)
    }

    /// The same environment in a mirror: left is right.
    fileprivate var mirrored: LayoutEnvironment {
        func mirror(_ insets: Insets) -> Insets {
            Insets(
                top: insets.top, left: insets.right, bottom: insets.bottom, right: insets.left)
        }
        return LayoutEnvironment(
            viewport: viewport, contentInset: mirror(contentInset), safeArea: mirror(safeArea),
            layoutMargins: layoutMargins.map(mirror), pixelScale: pixelScale)
    }

    /// The same environment with lengths and distances that can be laid out.
    fileprivate var withPlainNumbers: LayoutEnvironment {
        LayoutEnvironment(
            viewport: viewport.lengths, contentInset: contentInset.distances,
            safeArea: safeArea.distances, layoutMargins: layoutMargins?.distances,
            pixelScale: pixelScale.flatMap { $0 > 0 && $0 <= 1_000_000 ? $0 : nil })
    }
}
