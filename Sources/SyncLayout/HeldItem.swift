package import SyncModel

/// An item that someone holds over another place of a collection.
package struct HeldItem: Sendable, Hashable {
    /// Where it is.
    package var path: ItemPath
    /// Where it would go: its path if it were dropped.
    package var target: ItemPath
    /// Where it is held: its centre. `nil` if it is to be seen where it would go.
    package var center: ListPoint?

    package init(path: ItemPath, target: ItemPath, center: ListPoint?) {
        self.path = path
        self.target = target
        self.center = center
    }

    /// Above all else.
    package static let zIndex = 1_000_000

    /// The path that the item has, which is at a path as if the held one had been dropped.
    func path(ofShown shown: ItemPath) -> ItemPath {
        if shown == target { return path }
        var item = shown
        // Without the held one.
        if shown.section == target.section, shown.item > target.item { item.item -= 1 }
        if item.section == path.section, item.item >= path.item { item.item += 1 }
        return item
    }

    /// The path that an item has as if the held one had been dropped.
    func shownPath(of item: ItemPath) -> ItemPath {
        if item == path { return target }
        var shown = item
        if item.section == path.section, item.item > path.item { shown.item -= 1 }
        if shown.section == target.section, shown.item >= target.item { shown.item += 1 }
        return shown
    }
}

extension CollectionLayout {
    /// The elements in a rectangle while an item is held: see ``LayoutPreview``.
    ///
    /// The layout itself is as before afterwards.
    ///
    /// - Parameter limit: how many there may be, at most ``elementLimit``.
    /// - Throws: ``LayoutError``; ``LayoutError/batchMismatch`` if there is no such item or target,
    ///   and ``LayoutError/tooManyElements(limit:)`` as without one that is held.
    /// # Performance
    /// Two edits and a question.
    package func elements(
        in rect: ListRect, bounds: ListRect, holding held: HeldItem, limit: Int = elementLimit
    ) throws(LayoutError) -> [LayoutElement] {
        let preview = LayoutPreview(of: self)
        try preview.hold(held)
        let answer = Result { () throws(LayoutError) in
            var elements: [LayoutElement] = []
            try preview.read(&elements, in: rect, bounds: bounds, limit: limit)
            return elements
        }
        try preview.putBack()
        return try answer.get()
    }
}
