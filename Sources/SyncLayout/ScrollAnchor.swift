package import SyncModel

/// The item that stays in place on a screen while a collection changes, and its place there.
package struct ScrollAnchor: Sendable, Hashable {
    /// The item.
    package var path: ItemPath
    /// The distance from the viewport's origin to the item's.
    package var distance: ListPoint

    package init(path: ItemPath, distance: ListPoint) {
        self.path = path
        self.distance = distance
    }
}

extension CollectionLayout {
    /// The content offset at which an anchor's item is where it was, as nearly as the content
    /// allows. Across the scroll axis nothing moves.
    ///
    /// - Parameters:
    ///   - anchor: the item and its old place on the screen, with the path that it has now.
    ///   - bounds: the old viewport.
    /// - Returns: the offset of `bounds` if there is no such item.
    package func contentOffset(keeping anchor: ScrollAnchor, bounds: ListRect) -> ListPoint {
        let bounds = bounds.sanitized
        let offset = ListPoint(x: bounds.x, y: bounds.y)
        guard let element = element(.cell(anchor.path), bounds: bounds) else { return offset }
        let direction = layout.scrollDirection
        let wanted =
            direction.main(ListPoint(x: element.frame.x, y: element.frame.y))
            - direction.main(anchor.distance)
        return clamped(wanted, direction.cross(offset), bounds)
    }

    /// The content offset at which a viewport shows the beginning of the content. Across the scroll
    /// axis nothing moves.
    package func contentOffset(atBeginningOf bounds: ListRect) -> ListPoint {
        let bounds = bounds.sanitized
        let direction = layout.scrollDirection
        let isMirrored = direction == .horizontal && layout.isRightToLeft
        return clamped(
            isMirrored ? .infinity : -.infinity, direction.cross(bounds.origin), bounds)
    }

    /// The content offset of a viewport, or the nearest one at which it does not go beyond the
    /// content; across the scroll axis nothing moves.
    package func contentOffset(clamping bounds: ListRect) -> ListPoint {
        let bounds = bounds.sanitized
        let offset = ListPoint(x: bounds.x, y: bounds.y)
        let direction = layout.scrollDirection
        return clamped(direction.main(offset), direction.cross(offset), bounds)
    }

    private func clamped(_ main: Double, _ cross: Double, _ bounds: ListRect) -> ListPoint {
        let direction = layout.scrollDirection
        let insets = direction.insets(environment.contentInset)
        let last =
            direction.main(contentSize(in: bounds)) + insets.mainTrail
            - direction.main(environment(in: bounds).viewport)
        return direction.point(main: max(min(main, last), -insets.mainLead), cross: cross)
    }
}
