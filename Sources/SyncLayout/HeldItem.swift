package import SyncEngine

/// An item that someone holds over another place of a collection.
package struct HeldItem: Sendable, Hashable {
    /// Where it is.
    package var path: ItemPath
    /// Where it would go: its path if it were dropped.
    package var target: ItemPath
    /// Where it is held: its centre.
    package var center: Point

    package init(path: ItemPath, target: ItemPath, center: Point) {
        self.path = path
        self.target = target
        self.center = center
    }

    /// Above all else.
    package static let zIndex = 1_000_000

    /// The path that the item has, which is at a path as if the held one had been dropped.
    fileprivate func path(ofShown shown: ItemPath) -> ItemPath {
        if shown == target { return path }
        var item = shown
        // Without the held one.
        if shown.section == target.section, shown.item > target.item { item.item -= 1 }
        if item.section == path.section, item.item >= path.item { item.item += 1 }
        return item
    }
}

extension CollectionLayout {
    /// The elements in a rectangle while an item is held: the others make room as if it had been dropped,
    /// and it is where it is held, on top. Identities are those without the preview.
    ///
    /// The layout itself is as before afterwards.
    ///
    /// - Parameter limit: how many there may be, at most ``elementLimit``.
    /// - Throws: ``LayoutError``; ``LayoutError/batchMismatch`` if there is no such item or target, and
    ///   ``LayoutError/tooManyElements(limit:)`` as without one that is held.
    /// # Performance
    /// Two edits and a question.
    package func elements(
        in rect: Rect, bounds: Rect, holding held: HeldItem, limit: Int = elementLimit
    ) throws(LayoutError) -> [LayoutElement] {
        guard sections.indices.contains(held.path.section),
            (0..<sections[held.path.section].sizes.count).contains(held.path.item),
            sections.indices.contains(held.target.section)
        else { throw .batchMismatch }
        let isSameSection = held.path.section == held.target.section
        let count = sections[held.target.section].sizes.count - (isSameSection ? 1 : 0)
        guard (0...count).contains(held.target.item) else { throw .batchMismatch }
        let rect = rect.sanitized
        let limit = min(max(limit, 0), Self.elementLimit)
        let size = try relocate(held.path, to: held.target)
        let answer = Result { () throws(LayoutError) in
            // One more: the held one's place does not count where it is not held.
            try collect(rect, bounds, limit: limit + 1)
        }
        let own = element(.cell(held.target), bounds: bounds)
        _ = try relocate(held.target, to: held.path, size: size)
        var elements: [LayoutElement]
        do throws(LayoutError) {
            elements = try answer.get().filter { $0.identity != .cell(held.target) }
        } catch {
            throw .tooManyElements(limit: limit)
        }
        for index in elements.indices {
            elements[index].identity = identity(elements[index].identity, held)
        }
        if var own {
            own.identity = .cell(held.path)
            own.frame.x = held.center.x.distance - own.frame.width / 2
            own.frame.y = held.center.y.distance - own.frame.height / 2
            own.zIndex = HeldItem.zIndex
            if own.frame.intersects(rect) { elements.append(own) }
        }
        guard elements.count <= limit else { throw .tooManyElements(limit: limit) }
        return elements
    }

    private func identity(
        _ shown: LayoutElement.Identity, _ held: HeldItem
    ) -> LayoutElement.Identity {
        switch shown {
        case .cell(let path): .cell(held.path(ofShown: path))
        case .itemSupplementary(let kind, let path):
            .itemSupplementary(kind: kind, held.path(ofShown: path))
        case .supplementary, .decoration: shown
        }
    }
}
