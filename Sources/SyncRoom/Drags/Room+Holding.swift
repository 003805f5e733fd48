import SyncEngine
import SyncLayout
import SyncModel

/// What views show of drags: the layout with the items held over their targets.
extension Room {
    /// Holds in a preview what is to be seen of drags in a view: what others share, and what its
    /// member holds or has dropped in it. Returns what its member holds there, held last; `nil` if
    /// nothing.
    func holdItems(
        for view: RoomView, in preview: LayoutPreview, _ window: RoomWindow
    ) throws(LayoutError) -> (drag: ItemDrag, place: HeldItem)? {
        guard !drags.list.isEmpty else { return nil }
        let own = drags.list.last { $0.view === view && $0.landing == nil }
        var held: Set<ThingKey> = []
        if let own { held.insert(own.item) }
        for drag in drags.list where drag !== own && (drag.isShared || drag.view === view) {
            guard held.insert(drag.item).inserted else { continue }
            _ = try hold(drag, at: nil, in: preview, window)
        }
        guard let own, let place = try hold(own, at: view.held, in: preview, window) else {
            return nil
        }
        return (own, place)
    }

    /// Finds out where the item that was held last would go, if its member has moved it.
    func findTarget(
        of held: (drag: ItemDrag, place: HeldItem), in preview: LayoutPreview,
        _ window: RoomWindow
    ) throws(LayoutError) {
        let view = held.drag.view
        var target = held.place.target
        if held.drag.isTargetOpen, let point = view.held {
            let found = try preview.moveLast(to: point, bounds: view.viewport.bounds) { section in
                window.flags(ofSectionAt: section)?.contains(.acceptsMoves) == true
            }
            target = found ?? target
        }
        let isElsewhere = target != held.place.path
        didFind(isElsewhere ? behind(target, in: preview, window) : nil, of: held.drag)
    }

    /// Holds a drag's item.
    ///
    /// - Returns: where it is and where it would go, both with what was held before; `nil` if it is
    ///   not there yet.
    private func hold(
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
            // There is no room for it.
            held.target = shown
            try preview.hold(held)
        }
        return held
    }

    /// The path that a target stands for now; `nil` if an item may not go there.
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

    /// What a path with the preview, at which an item is held, stands for.
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
