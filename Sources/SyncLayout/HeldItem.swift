package import SyncModel

/// An item that a user drags over another place of a collection.
package struct HeldItem: Sendable, Hashable {
    /// The item's path in the collection.
    package var path: ItemPath
    /// The path that it would have after a drop.
    package var target: ItemPath
    /// The centre at which it is drawn; `nil` to draw it at its target.
    package var center: ListPoint?

    package init(path: ItemPath, target: ItemPath, center: ListPoint?) {
        self.path = path
        self.target = target
        self.center = center
    }

    /// Above all other elements.
    package static let zIndex = 1_000_000

    /// The path in the collection of the item that is at `shown` in the preview.
    func path(ofShown shown: ItemPath) -> ItemPath {
        if shown == target { return path }
        var item = shown
        // Leave the held item out.
        if shown.section == target.section, shown.item > target.item { item.item -= 1 }
        if item.section == path.section, item.item >= path.item { item.item += 1 }
        return item
    }

    /// The path in the preview of the item that is at `item` in the collection.
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
    /// Afterwards the layout is as before.
    ///
    /// - Parameter limit: the greatest number of elements, at most ``elementLimit``.
    /// - Throws: ``LayoutError``: ``LayoutError/batchMismatch`` if there is no such item or target,
    ///   and ``LayoutError/tooManyElements(limit:)`` as without a held item.
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
