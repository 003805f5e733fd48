package import SyncModel

/// A collection laid out as if held items had been dropped at their targets, so that the other
/// items make room. An item that is held at a point is centred on it, on top.
///
/// It answers the questions of a ``CollectionLayout``. Paths in questions and answers are those
/// without the preview.
///
/// A preview changes the layout itself. Call ``putBack()`` before anything else reads or changes
/// the layout.
///
/// # Performance
/// Holding an item is an edit, and so is putting it back.
package final class LayoutPreview {
    private let layout: CollectionLayout
    /// The held items. Each step's paths are those after the steps before it.
    private var steps: [(held: HeldItem, size: ListSize)] = []

    package init(of layout: CollectionLayout) {
        self.layout = layout
    }

    // MARK: Holding

    /// Holds one more item. Its path and its target are those of the preview so far.
    ///
    /// - Throws: ``LayoutError``, and nothing changes: ``LayoutError/batchMismatch`` if there is no
    ///   such item or target.
    package func hold(_ held: HeldItem) throws(LayoutError) {
        let isSameSection = held.path.section == held.target.section
        guard held.path.item >= 0, held.path.item < itemCount(inSection: held.path.section),
            layout.sections.indices.contains(held.target.section), held.target.item >= 0,
            held.target.item
                <= itemCount(inSection: held.target.section) - (isSameSection ? 1 : 0)
        else { throw .batchMismatch }
        steps.append((held, try layout.relocate(held.path, to: held.target)))
    }

    /// Puts all held items back.
    ///
    /// - Throws: ``LayoutError`` if that is not possible: then the collection must be laid out
    ///   again from the start.
    package func putBack() throws(LayoutError) {
        while let step = steps.popLast() {
            _ = try layout.relocate(step.held.target, to: step.held.path, size: step.size)
        }
    }

    /// Moves all items that are held at points.
    package func moveHeld(by shift: ListPoint) {
        for index in steps.indices { steps[index].held.center? += shift }
    }

    /// Whether the item at a path is held.
    package func isHeld(_ path: ItemPath) -> Bool {
        steps.indices.contains { self.path(ofStep: $0) == path }
    }

    /// The number of items of a section in the preview; 0 if there is no such section.
    package func itemCount(inSection section: Int) -> Int {
        layout.sections.indices.contains(section) ? layout.sections[section].sizes.count : 0
    }

    /// An item's path in the preview.
    package func shownPath(of path: ItemPath) -> ItemPath {
        steps.reduce(path) { $1.held.shownPath(of: $0) }
    }

    /// The path without the preview of the item at a path in the preview.
    package func path(ofShown path: ItemPath) -> ItemPath {
        steps.reversed().reduce(path) { $1.held.path(ofShown: $0) }
    }

    /// Moves the item that was held last to the target at a point. That is the place of the item
    /// that the preview shows there, or a section without items that has another element, or only
    /// its part of the content, there.
    ///
    /// The item stays if there is no such target. It also stays if the other items, having made
    /// room, would put the old target under the point again.
    ///
    /// - Parameter accepts: whether an item may go into a section.
    /// - Returns: its target now, in the preview; `nil` if nothing is held.
    package func moveLast(
        to point: ListPoint, bounds: ListRect, where accepts: (Int) -> Bool
    ) throws(LayoutError) -> ItemPath? {
        guard let last = steps.last?.held else { return nil }
        guard let target = place(at: point, bounds), target != last.target,
            accepts(target.section)
        else { return last.target }
        try holdLast(over: target)
        if place(at: point, bounds) == last.target { try holdLast(over: last.target) }
        return steps.last?.held.target
    }

    private func holdLast(over target: ItemPath) throws(LayoutError) {
        guard let step = steps.popLast() else { return }
        _ = try layout.relocate(step.held.target, to: step.held.path, size: step.size)
        var held = step.held
        held.target = target
        do throws(LayoutError) {
            try hold(held)
        } catch {
            try hold(step.held)
        }
    }

    private func place(at point: ListPoint, _ bounds: ListRect) -> ItemPath? {
        let spot = ListRect(x: point.x.distance, y: point.y.distance)
        let around = spot.inset(by: Insets(top: -1, left: -1, bottom: -1, right: -1))
        var place: ItemPath?
        let looks = layout.lookLimit(forElements: 1)
        layout.visit(around, bounds, looks: looks) { element in
            guard element.frame.contains(ListPoint(x: spot.x, y: spot.y)) else { return true }
            switch element.identity {
            case .cell(let path):
                place = path
                return false
            case .supplementary(_, let section):
                guard itemCount(inSection: section) == 0 else { return true }
                place = place ?? ItemPath(section: section, item: 0)
            case .decoration(let kind, let section):
                guard itemCount(inSection: section) == 0, isOfPart(kind, section) else {
                    return true
                }
                place = place ?? ItemPath(section: section, item: 0)
            case .itemSupplementary: break
            }
            return true
        }
        let section = place == nil ? layout.emptySection(at: spot.origin, bounds: bounds) : nil
        return place ?? section.map { ItemPath(section: $0, item: 0) }
    }

    /// Whether a section's decoration covers a part of it, and not the content.
    private func isOfPart(_ kind: Identifier, _ section: Int) -> Bool {
        layout.sections[section].shared.areas.contains { $0.kind == kind }
    }
}

// MARK: - What a layout answers

extension LayoutPreview {
    /// Fills an array with the elements in a rectangle: see
    /// ``CollectionLayout/elements(in:bounds:limit:)``. Items that are held at points come last.
    package func read(
        _ elements: inout [LayoutElement], in rect: ListRect, bounds: ListRect, limit: Int
    ) throws(LayoutError) {
        let limit = min(max(limit, 0), CollectionLayout.elementLimit)
        let rect = rect.sanitized
        elements.removeAll(keepingCapacity: true)
        guard !steps.isEmpty else {
            return try layout.collect(rect, bounds, limit: limit, &elements)
        }
        let lifted = steps.indices.filter { steps[$0].held.center != nil }.map(path(ofStep:))
        do throws(LayoutError) {
            // Allow more: held items are removed again from the places where they are not drawn.
            try layout.collect(rect, bounds, limit: limit + lifted.count, &elements)
        } catch {
            throw .tooManyElements(limit: limit)
        }
        for index in elements.indices {
            elements[index].identity = identity(ofShown: elements[index].identity)
        }
        elements.removeAll { element in lifted.contains { element.identity == .cell($0) } }
        for path in lifted {
            if let own = element(.cell(path), bounds: bounds), own.frame.intersects(rect) {
                elements.append(own)
            }
        }
        guard elements.count <= limit else { throw .tooManyElements(limit: limit) }
    }

    /// One element; `nil` if there is no such.
    package func element(_ identity: LayoutElement.Identity, bounds: ListRect) -> LayoutElement? {
        guard var element = layout.element(shownIdentity(of: identity), bounds: bounds) else {
            return nil
        }
        element.identity = identity
        guard case .cell(let path) = identity, let center = center(of: path) else {
            return element
        }
        element.frame.x = center.x.distance - element.frame.width / 2
        element.frame.y = center.y.distance - element.frame.height / 2
        element.zIndex = HeldItem.zIndex
        return element
    }

    /// See ``CollectionLayout/contentSize(in:)``.
    package func contentSize(in bounds: ListRect) -> ListSize {
        layout.contentSize(in: bounds)
    }

    /// See ``CollectionLayout/contentOffset(keeping:bounds:)``.
    package func contentOffset(keeping anchor: ScrollAnchor, bounds: ListRect) -> ListPoint {
        var anchor = anchor
        anchor.path = shownPath(of: anchor.path)
        return layout.contentOffset(keeping: anchor, bounds: bounds)
    }

    /// See ``CollectionLayout/contentOffset(atBeginningOf:)``.
    package func contentOffset(atBeginningOf bounds: ListRect) -> ListPoint {
        layout.contentOffset(atBeginningOf: bounds)
    }

    /// See ``CollectionLayout/contentOffset(clamping:)``.
    package func contentOffset(clamping bounds: ListRect) -> ListPoint {
        layout.contentOffset(clamping: bounds)
    }

    /// See ``CollectionLayout/targetContentOffset(proposed:bounds:)``.
    package func targetContentOffset(proposed: ListPoint, bounds: ListRect) -> ListPoint {
        layout.targetContentOffset(proposed: proposed, bounds: bounds)
    }

    /// See ``CollectionLayout/appearing(_:bounds:)``.
    package func appearing(_ element: LayoutElement, bounds: ListRect) -> LayoutElement {
        layout.appearing(element, bounds: bounds)
    }

    /// See ``CollectionLayout/disappeared(_:bounds:)``.
    package func disappeared(_ element: LayoutElement, bounds: ListRect) -> LayoutElement {
        layout.disappeared(element, bounds: bounds)
    }

    // MARK: Paths

    /// The path of the item that is held in a step.
    private func path(ofStep index: Int) -> ItemPath {
        steps[..<index].reversed().reduce(steps[index].held.path) { $1.held.path(ofShown: $0) }
    }

    /// The point at which an item is held, if any.
    private func center(of path: ItemPath) -> ListPoint? {
        var path = path
        for step in steps {
            if step.held.path == path { return step.held.center }
            path = step.held.shownPath(of: path)
        }
        return nil
    }

    private func identity(ofShown shown: LayoutElement.Identity) -> LayoutElement.Identity {
        switch shown {
        case .cell(let shown): .cell(path(ofShown: shown))
        case .itemSupplementary(let kind, let shown):
            .itemSupplementary(kind: kind, path(ofShown: shown))
        case .supplementary, .decoration: shown
        }
    }

    private func shownIdentity(of identity: LayoutElement.Identity) -> LayoutElement.Identity {
        switch identity {
        case .cell(let path): .cell(shownPath(of: path))
        case .itemSupplementary(let kind, let path):
            .itemSupplementary(kind: kind, shownPath(of: path))
        case .supplementary, .decoration: identity
        }
    }
}
