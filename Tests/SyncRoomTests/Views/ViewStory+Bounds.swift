import LayoutTwin
import SyncLayout
import SyncModel
import SyncWire

/// Checks where the bounds go.
extension ViewStory {
    /// Describes what is wrong with the bounds that should go to an item.
    func arrived(_ view: inout ViewerTwin, _ snapshot: Snapshot) throws -> String? {
        guard let anchor = view.anchor else { return nil }
        let isThere = anchor.item.lives(in: snapshot)
        if isThere || snapshot.revision >= anchor.revision { view.anchor = nil }
        guard isThere else { return nil }
        arrivals += 1
        let layout = try view.look.layout(of: snapshot)
        return moved([(anchor.item.item, anchor.item.distance)], layout, view.bounds, snapshot)
    }

    /// Describes what is wrong with the bounds after an update: the first item that was on the
    /// screen and has not moved in the room must keep its distance, unless the viewer has put the
    /// bounds into another layout.
    func moved(
        from before: ViewerTwin, to after: ViewerTwin, by shift: ListPoint?, _ snapshot: Snapshot
    ) throws -> String? {
        guard before.revision != nil else { return nil }
        // The bounds went to the requested item.
        if let anchor = before.anchor?.item, anchor.lives(in: snapshot) { return nil }
        if before.isPlaced {
            placements += 1
            return shift.map { "the bounds came with a layout, and were moved by \($0)" }
        }
        guard before.revision != after.revision || before.hasOtherLayout else { return nil }
        // The room may have reached this revision without a visible difference before the viewer
        // scrolled.
        if shift == nil, before.bounds != before.shownBounds { return nil }
        // In another layout the viewer's later scrolling does not matter, unless it was already
        // shown there. Updates without a visible difference were not sent, so each earlier look is
        // possible.
        var seen = [before.bounds]
        if before.hasOtherLayout { seen += before.looks.map(\.bounds) }
        let layout = try after.look.layout(of: snapshot)
        var problems: [String] = []
        for seen in seen {
            for known in revisions(from: before.revision ?? 0, to: snapshot.revision) {
                let anchors = before.anchors(in: seen).filter { anchor in
                    !wasMoved(anchor.id, after: known, snapshot)
                }
                guard let problem = moved(anchors, layout, after.bounds, snapshot)
                else { return nil }
                problems.append(problem)
            }
        }
        return problems.first
    }

    /// The revisions that the screen may have shown between two updates. Revisions without a
    /// visible difference were not sent.
    private func revisions(from first: Revision, to last: Revision) -> [Revision] {
        [first] + snapshots.keys.filter { $0 > first && $0 < last }.sorted()
    }

    /// Whether an item was moved after a revision, by itself or with its section.
    private func wasMoved(
        _ item: Identifier, after revision: Revision, _ snapshot: Snapshot
    ) -> Bool {
        let section = snapshot.sections.first { $0.items.contains { $0.id == item } }
        return [item, section?.section.id].contains { id in
            id.flatMap { moves[$0] }?.contains { $0 > revision && $0 <= snapshot.revision } ?? false
        }
    }

    private func moved(
        _ anchors: [(id: Identifier, distance: ListPoint)], _ layout: CollectionLayout,
        _ bounds: ListRect, _ snapshot: Snapshot
    ) -> String? {
        for anchor in anchors {
            for (section, state) in snapshot.sections.enumerated() {
                guard let item = state.items.firstIndex(where: { $0.id == anchor.id }) else {
                    continue
                }
                let kept = layout.contentOffset(
                    keeping: ScrollAnchor(
                        path: ItemPath(section: section, item: item), distance: anchor.distance),
                    bounds: bounds)
                let (dx, dy) = (kept.x - bounds.x, kept.y - bounds.y)
                guard abs(dx) + abs(dy) > 1e-6 else { return nil }
                return "\(anchor.id) has moved on the screen by \(-dx), \(-dy)"
            }
        }
        return nil
    }
}

extension ListPoint {
    /// How far another point is, in both directions.
    func distance(to other: ListPoint) -> ListPoint {
        ListPoint(x: abs(x - other.x), y: abs(y - other.y))
    }
}

extension ItemAnchor {
    func lives(in snapshot: Snapshot) -> Bool {
        snapshot.sections.contains { $0.items.contains { $0.id == item } }
    }
}
