package import SyncModel

/// Questions of scrolling and dragging.
extension CollectionLayout {
    /// The state of an element when it begins to appear in a viewport at `bounds`.
    package func appearing(_ element: LayoutElement, bounds: ListRect) -> LayoutElement {
        layout.absent(element, appears: true, in: environment(in: bounds))
    }

    /// The state of an element when it has disappeared from a viewport at `bounds`.
    package func disappeared(_ element: LayoutElement, bounds: ListRect) -> LayoutElement {
        layout.absent(element, appears: false, in: environment(in: bounds))
    }

    /// Where scrolling ends if it would otherwise end at `proposed`.
    package func targetContentOffset(proposed: ListPoint, bounds: ListRect) -> ListPoint {
        guard layout.centersCells else { return proposed }
        let proposed = ListPoint(x: proposed.x.distance, y: proposed.y.distance)
        let direction = layout.scrollDirection
        let viewport = direction.main(environment(in: bounds).viewport)
        let wanted = direction.main(proposed) + viewport / 2
        let center = centerOfCell(nearest: wanted, bounds)
        let insets = direction.insets(environment.contentInset)
        let last = direction.main(contentSize(in: bounds)) + insets.mainTrail - viewport
        let offset = center.map { $0 - viewport / 2 } ?? direction.main(proposed)
        let main = max(min(offset, last), -insets.mainLead)
        return direction.point(main: main, cross: direction.cross(proposed))
    }

    /// The centre, along the scroll axis, of the cell that is nearest to a place; of equally near
    /// cells, the first. After as many looks as an answer may take, it is the nearest so far.
    private func centerOfCell(nearest given: Double, _ bounds: ListRect) -> Double? {
        let direction = layout.scrollDirection
        // From farther away the nearest cell is the same.
        let ends = endsOfCells(bounds)
        let wanted = min(max(given, ends.low), ends.high)
        let everything = abs(wanted) + max(abs(ends.low), abs(ends.high))
        var reach = 1.0
        let lastLook = work.looks + lookLimit
        while true {
            // Insets may put cells beside the content. They count too.
            let area = direction.rect(
                AxisRect(
                    main: wanted - reach, cross: -1e200, mainLength: 2 * reach,
                    crossLength: 2e200))
            let searched = reach >= everything ? nil : area
            var least = Double.infinity
            visitCenters(in: searched, bounds) { center in
                least = min(least, abs(center - wanted))
                return true
            }
            // A cell that the search missed has its centre outside the area, so it is farther.
            if least + Double.tolerance <= reach || reach >= everything || work.looks >= lastLook {
                var nearest: Double?
                visitCenters(in: searched, bounds) { center in
                    guard abs(center - wanted) <= least + Double.tolerance else { return true }
                    nearest = center
                    return false
                }
                return nearest
            }
            reach *= 4
        }
    }

    /// Calls `visit` with the centres of cells along the scroll axis, until it returns `false`.
    private func visitCenters(
        in area: ListRect?, _ bounds: ListRect, _ visit: (Double) -> Bool
    ) {
        self.visit(area, bounds) { element in
            guard case .cell = element.identity else { return true }
            return visit(layout.scrollDirection.main(element.frame.center))
        }
    }

    /// The range of the scroll axis that has all cells, extended by a screen and a pixel at either
    /// end.
    private func endsOfCells(_ bounds: ListRect) -> (low: Double, high: Double) {
        let direction = layout.scrollDirection
        var low = Double.infinity
        var high = -Double.infinity
        for (index, section) in sections.enumerated() where section.sizes.count > 0 {
            let itemsStart = start(of: index) + section.itemsStart
            low = min(low, itemsStart + section.plan.body.start)
            high = max(high, itemsStart + section.plan.body.length)
        }
        if direction == .horizontal, layout.isRightToLeft {
            let width = contentSize(in: bounds).width
            (low, high) = (width - high, width - low)
        }
        // Beyond this, sums would be infinite.
        let pixel = min(environment.pixelScale.map { 1 / $0 } ?? 0, 1e307)
        let more = direction.main(environment(in: bounds).viewport) + 1 + pixel
        return low <= high ? (low - more, high + more) : (0, 0)
    }

    /// Where an item that is dragged to a point would go: to the path of the item there, else to
    /// the previous target.
    package func moveTarget(at point: ListPoint, previous: ItemPath?) -> ItemPath? {
        var target: ItemPath?
        let spot = ListRect(x: point.x.distance, y: point.y.distance)
        visit(spot.inset(by: Insets(top: -1, left: -1, bottom: -1, right: -1)), ListRect()) {
            element in
            guard case .cell(let path) = element.identity,
                element.frame.contains(ListPoint(x: spot.x, y: spot.y))
            else { return true }
            target = path
            return false
        }
        return target ?? previous
    }

    /// The section without items that has a point in its part of the content: from its start to its
    /// end, over the whole width. `nil` if there is none, and if sections don't follow each other.
    func emptySection(at point: ListPoint, bounds: ListRect) -> Int? {
        guard layout.stacksSections, !sections.isEmpty else { return nil }
        let direction = layout.scrollDirection
        let mirrorWidth = layout.isRightToLeft ? contentSize(in: bounds).width : nil
        let unmirrored = mirrorWidth.map { ListPoint(x: $0 - point.x, y: point.y) } ?? point
        let main = direction.main(unmirrored)
        let range = sections(from: main, to: main).prefix(lookLimit(forElements: 1))
        work.looks += range.count
        return range.first { index in
            guard sections[index].sizes.count == 0 else { return false }
            var part = direction.rect(
                AxisRect(
                    main: start(of: index), cross: 0, mainLength: sections[index].length,
                    crossLength: contentCross))
            if let mirrorWidth { part.x = mirrorWidth - part.x - part.width }
            return part.contains(point)
        }
    }
}
