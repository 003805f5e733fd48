import SyncEngine
import SyncLayout
import SyncModel

/// The preview of drags in views: the layout with each dragged item lifted over its target.
extension Room {
    /// Lifts the dragged items of a view in its preview: shared ones, and those that its member
    /// drags or has dropped in this view. Returns the item that the member drags there, which is
    /// lifted last; `nil` if it drags none.
    func liftItems(
        for view: RoomView, in preview: LayoutPreview, _ window: RoomWindow
    ) throws(LayoutError) -> (drag: ItemDrag, place: HeldItem)? {
        guard !drags.list.isEmpty else { return nil }
        let own = drags.list.last { $0.view === view && $0.moveRevision == nil }
        var lifted: Set<ThingKey> = []
        if let own { lifted.insert(own.item) }
        for drag in drags.list where drag !== own && (drag.isShared || drag.view === view) {
            guard lifted.insert(drag.item).inserted else { continue }
            _ = try lift(drag, at: nil, in: preview, window)
        }
        guard let own, let place = try lift(own, at: view.dragPoint, in: preview, window) else {
            return nil
        }
        return (own, place)
    }

    /// Finds the target of the item that was lifted last, if its member has moved it.
    func findTarget(
        of lifted: (drag: ItemDrag, place: HeldItem), in preview: LayoutPreview,
        _ window: RoomWindow
    ) throws(LayoutError) {
        let view = lifted.drag.view
        var target = lifted.place.target
        if lifted.drag.isTargetPending, let point = view.dragPoint {
            let found = try preview.moveLast(to: point, bounds: view.viewport.bounds) { section in
                window.flags(ofSectionAt: section)?.contains(.acceptsMoves) == true
            }
            target = found ?? target
        }
        let isElsewhere = target != lifted.place.path
        didFind(isElsewhere ? behind(target, in: preview, window) : nil, of: lifted.drag)
    }

    /// Lifts a drag's item.
    ///
    /// - Returns: its path and its target's path, both in the preview so far; `nil` if the item is
    ///   not durable yet.
    private func lift(
        _ drag: ItemDrag, at center: ListPoint?, in preview: LayoutPreview, _ window: RoomWindow
    ) throws(LayoutError) -> HeldItem? {
        guard let path = window.path(ofItem: drag.item) else { return nil }
        let shown = preview.shownPath(of: path)
        let target = drag.target.flatMap { place(of: $0, for: shown, in: preview, window) }
        var held = HeldItem(path: shown, target: target ?? shown, center: center)
        if center == nil, held.target == shown { return held }
        do throws(LayoutError) {
            try preview.hold(held)
        } catch {
            // The preview has no space for it there.
            held.target = shown
            try preview.hold(held)
        }
        return held
    }

    /// The path of a target now; `nil` if an item may not go there.
    private func place(
        of target: ItemDrag.Target, for item: ItemPath, in preview: LayoutPreview,
        _ window: RoomWindow
    ) -> ItemPath? {
        guard let section = window.sectionIndex(of: target.section),
            window.flags(ofSectionAt: section)?.contains(.acceptsMoves) == true
        else { return nil }
        let isOwnSection = item.section == section
        guard let after = target.after else { return ItemPath(section: section, item: 0) }
        if let path = window.path(ofItem: after).map(preview.shownPath), path.section == section {
            let isBehind = isOwnSection && item.item <= path.item
            return ItemPath(section: section, item: path.item + (isBehind ? 0 : 1))
        }
        let count = preview.itemCount(inSection: section) - (isOwnSection ? 1 : 0)
        return ItemPath(section: section, item: min(target.index, count))
    }

    /// The target at a path of the preview, at which an item is lifted.
    private func behind(
        _ path: ItemPath, in preview: LayoutPreview, _ window: RoomWindow
    ) -> ItemDrag.Target? {
        guard let section = window.sectionKey(at: path.section) else { return nil }
        var target = ItemDrag.Target(section: section, after: nil, index: path.item)
        if path.item > 0 {
            let before = ItemPath(section: path.section, item: path.item - 1)
            target.after = window.itemKey(at: preview.path(ofShown: before))
        }
        return target
    }
}
