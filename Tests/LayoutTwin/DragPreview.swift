package import SyncLayout
package import SyncModel

/// A room as the screen shows it while items are dragged, arranged item by item.
package struct DragPreview {
    private var snapshot: Snapshot
    /// The paths of items without the preview.
    private let paths: [Identifier: ItemPath]
    private var lifted: (id: Identifier, center: ListPoint)?

    /// The room without the preview.
    package init(_ snapshot: Snapshot) {
        self.snapshot = snapshot
        var paths: [Identifier: ItemPath] = [:]
        for (section, state) in snapshot.sections.enumerated() {
            for (item, content) in state.items.enumerated() {
                paths[content.id] = ItemPath(section: section, item: item)
            }
        }
        self.paths = paths
    }

    /// The path of an item in the preview.
    private func path(of id: Identifier) -> ItemPath? {
        for (section, state) in snapshot.sections.enumerated() {
            if let item = state.items.firstIndex(where: { $0.id == id }) {
                return ItemPath(section: section, item: item)
            }
        }
        return nil
    }

    private mutating func move(from path: ItemPath, to target: ItemPath) {
        let item = snapshot.sections[path.section].items.remove(at: path.item)
        snapshot.sections[target.section].items.insert(item, at: target.item)
    }

    private func accepts(_ section: Int) -> Bool {
        snapshot.sections[section].section.content.flags.contains(.acceptsMoves)
    }

    /// Holds an item over a target, or at its own place.
    ///
    /// - Parameter center: the point at which it is drawn, if any.
    /// - Returns: whether the result is known: the target's section, and the item before the
    ///   target, exist.
    package mutating func hold(_ id: Identifier, over target: DropTarget?, at center: ListPoint?)
        -> Bool
    {
        guard let path = path(of: id) else { return true }
        lifted = center.map { (id, $0) } ?? lifted
        guard let target,
            let section = snapshot.sections.firstIndex(where: { $0.section.id == target.section }),
            accepts(section)
        else { return true }
        guard let after = target.after else {
            move(from: path, to: ItemPath(section: section, item: 0))
            return true
        }
        guard let sibling = self.path(of: after), sibling.section == section else { return false }
        let isBehind = path.section == section && path.item < sibling.item
        move(from: path, to: ItemPath(section: section, item: sibling.item + (isBehind ? 0 : 1)))
        return true
    }

    // MARK: The screen

    /// The expected screen, laid out from scratch.
    package func screen(in look: Look) throws(LayoutError) -> WholeScreen {
        let layout = try look.layout(of: snapshot)
        let area = look.area
        var elements = try look.elements(of: layout)
        if let lifted, let path = path(of: lifted.id),
            var own = layout.element(.cell(path), bounds: look.bounds)
        {
            elements.removeAll { $0.identity == own.identity }
            own.frame.x = lifted.center.x - own.frame.width / 2
            own.frame.y = lifted.center.y - own.frame.height / 2
            own.zIndex = HeldItem.zIndex
            if own.frame.intersects(area) { elements.append(own) }
        }
        return WholeScreen(
            contentSize: layout.contentSize(in: look.bounds), shown: elements.map(shown))
    }

    private func shown(_ element: LayoutElement) -> WholeScreen.Shown {
        var element = element
        switch element.identity {
        case .cell(let path):
            let item = snapshot.sections[path.section].items[path.item]
            element.identity = .cell(paths[item.id] ?? path)
            return WholeScreen.Shown(element: element, content: .item(item))
        case .supplementary(_, let section), .decoration(_, let section):
            return WholeScreen.Shown(
                element: element, content: .section(snapshot.sections[section].section))
        case .itemSupplementary(let kind, let path):
            let item = snapshot.sections[path.section].items[path.item]
            element.identity = .itemSupplementary(kind: kind, paths[item.id] ?? path)
            return WholeScreen.Shown(element: element, content: .item(item))
        }
    }

    // MARK: The target

    /// The target of the item that was held last, when it is dragged to a point.
    ///
    /// - Parameter base: the room before the item was held.
    package func target(
        of id: Identifier, at point: ListPoint, in look: Look, from base: DragPreview
    ) throws(LayoutError) -> DropTarget? {
        guard let home = base.path(of: id), let old = path(of: id) else { return nil }
        var preview = self
        if let place = try place(at: point, in: look), place != old, accepts(place.section) {
            preview.move(from: old, to: place)
            if try preview.place(at: point, in: look) == old { preview = self }
        }
        guard let path = preview.path(of: id), path != home else { return nil }
        let section = preview.snapshot.sections[path.section]
        return DropTarget(
            section: section.section.id,
            after: path.item > 0 ? section.items[path.item - 1].id : nil)
    }

    private func place(at point: ListPoint, in look: Look) throws(LayoutError) -> ItemPath? {
        let elements = try look.layout(of: snapshot).elements(bounds: look.bounds).filter {
            $0.frame.contains(point)
        }
        for element in elements {
            if case .cell(let path) = element.identity { return path }
        }
        for element in elements {
            switch element.identity {
            case .supplementary(_, let section):
                if snapshot.sections[section].items.isEmpty {
                    return ItemPath(section: section, item: 0)
                }
            case .decoration(let kind, let section):
                // One of the content is of no section.
                let isOfSection = (look.spec.options.decorations ?? []).contains {
                    $0.kind == kind && $0.cover != .content && look.spec.kind != .circle
                }
                if isOfSection, snapshot.sections[section].items.isEmpty {
                    return ItemPath(section: section, item: 0)
                }
            case .cell, .itemSupplementary: break
            }
        }
        return try emptySection(at: point, in: look).map { ItemPath(section: $0, item: 0) }
    }

    /// The section without items that has a point in its part of the content. The part begins where
    /// the content of the sections before it ends, and ends where their common content does.
    private func emptySection(at point: ListPoint, in look: Look) throws(LayoutError) -> Int? {
        guard look.spec.kind != .circle else { return nil }
        let axes = Axes(of: look.spec)
        let size = try look.layout(of: snapshot).contentSize(in: look.bounds)
        var point = point
        if look.spec.rtl { point.x = size.width - point.x }
        let main = axes.isHorizontal ? point.x : point.y
        let cross = axes.isHorizontal ? point.y : point.x
        guard cross >= 0, cross < axes.cross(size) else { return nil }
        // So that the content is not higher than its sections.
        var plain = look
        plain.spec.minimumContentHeight = 0
        if look.spec.kind == .mosaic { plain.bounds.height = 0 }
        var end = 0.0
        for index in snapshot.sections.indices {
            var first = snapshot
            first.sections = Array(snapshot.sections[...index])
            let start = end
            end = axes.main(try plain.layout(of: first).contentSize(in: plain.bounds))
            if snapshot.sections[index].items.isEmpty, start <= main, main < end { return index }
        }
        return nil
    }
}
