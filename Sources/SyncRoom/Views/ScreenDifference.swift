import SyncEngine
import SyncLayout
import SyncWire

/// Finds out what is different between what a view's client holds and what it is to see.
struct ScreenDifference {
    let view: RoomView
    let layout: LayoutPreview
    let window: RoomWindow
    /// How many bytes of contents an update may have; the rest comes with the next one.
    let byteLimit: Int

    /// What the screen was made in, if that is another layout.
    private let former: CollectionLayout?

    private var update: ViewUpdate
    /// What the client holds, and what it is to hold.
    private let old: [RoomView.Shown]
    private var screen: [RoomView.Shown] = []
    private var bytes = 0
    private var isPartial = false
    /// The place in `old` behind the one found last.
    private var next = 0
    /// Where the parts are in a large `old`, once that is not plain.
    private var places: [RoomView.Part: Int]?
    private var isKept: [Bool]

    /// On a screen of so many elements a part is found by looking at all of them.
    #if DEBUG
        // Short random tests are to come to more.
        private static let fewElements = 4
    #else
        private static let fewElements = 64
    #endif

    init(
        of view: RoomView, in layout: LayoutPreview, from former: CollectionLayout?,
        _ window: RoomWindow, room: RoomHandle, byteLimit: Int
    ) {
        self.view = view
        self.layout = layout
        self.former = former
        self.window = window
        self.byteLimit = byteLimit
        update = ViewUpdate(
            room: room, view: view.number, number: 0, revision: window.revision,
            isFirst: view.revision == nil, isTransition: former != nil && view.revision != nil)
        old = view.screen
        isKept = Array(repeating: false, count: old.count)
    }

    /// The update that takes the client to now, after ``moveBounds()``; the client is taken to have taken it
    /// in. `nil` if nothing is different.
    mutating func finish(elementLimit: Int) throws(LayoutError) -> ViewUpdate? {
        let isAwaited = view.snaps
        let bounds = view.bounds
        let over = view.overscan
        let area = bounds.inset(by: Insets(top: -over, left: -over, bottom: -over, right: -over))
        let elements = try layout.elements(in: area, bounds: bounds, limit: elementLimit)
        let size = layout.contentSize(in: bounds)
        guard size.width.isFinite, size.height.isFinite, elements.allSatisfy(\.isFinite) else {
            throw .tooLong
        }
        if size != view.contentSize { update.contentSize = size }
        compare(elements)
        for index in old.indices where !isKept[index] {
            update.disappeared.append(disappearance(of: old[index]))
        }
        view.screen = screen
        view.revision = window.revision
        view.contentSize = size
        view.shownBounds = bounds
        view.isPartial = isPartial
        view.isChanged = false
        view.keepsAnchor = false
        view.snaps = false
        guard isAwaited || !isEmpty else { return nil }
        update.number = view.nextUpdateNumber()
        return update
    }

    private var isEmpty: Bool {
        !update.isFirst && update.contentSize == nil && update.shift == nil
            && update.appeared.isEmpty && update.changed.isEmpty && update.disappeared.isEmpty
    }

    // MARK: Where the bounds are

    /// Moves the bounds so that the first item on the screen stays where the client has it, or to where
    /// the layout wants items to come to rest.
    mutating func moveBounds() {
        var bounds = view.bounds
        if let revision = view.revision, revision != window.revision || view.keepsAnchor {
            bounds.origin = anchoredOffset ?? layout.contentOffset(clamping: bounds)
        }
        if view.snaps {
            bounds.origin = layout.targetContentOffset(proposed: bounds.origin, bounds: bounds)
        }
        let shift = Point(x: bounds.x - view.bounds.x, y: bounds.y - view.bounds.y)
        guard shift != Point() else { return }
        view.move(by: shift)
        layout.moveHeld(by: shift)
        update.shift = shift
    }

    /// Where the bounds are to be for the sake of the first item on the screen; `nil` if none is.
    private var anchoredOffset: Point? {
        // Where the client has scrolled to means nothing in another layout.
        let seen = view.keepsAnchor ? view.shownBounds : view.bounds
        for shown in old {
            guard case .cell(let item) = shown.part, shown.element.frame.intersects(seen),
                let path = window.path(ofItem: item)
            else { continue }
            // What is held goes its own way.
            if layout.isHeld(path) || shown.element.zIndex == HeldItem.zIndex { continue }
            let distance = Point(
                x: shown.element.frame.x - seen.x, y: shown.element.frame.y - seen.y)
            return layout.contentOffset(
                keeping: ScrollAnchor(path: path, distance: distance), bounds: view.bounds)
        }
        return nil
    }

    // MARK: Element by element

    private mutating func compare(_ elements: [LayoutElement]) {
        let parts = self.parts(of: elements)
        screen.reserveCapacity(elements.count)
        for index in elements.indices {
            guard let part = parts[index] else { continue }
            if let place = place(of: part) {
                next = place + 1
                isKept[place] = true
                keep(place, as: elements[index], of: elements.count)
            } else if bytes < byteLimit {
                show(elements[index], part)
            } else {
                isPartial = true
            }
        }
    }

    /// Where the client has a part. Mostly the parts are the same ones in the same order.
    private mutating func place(of part: RoomView.Part) -> Int? {
        if next < old.count, old[next].part == part { return next }
        if old.count <= ScreenDifference.fewElements {
            return old.indices.first { old[$0].part == part }
        }
        if places == nil {
            var places: [RoomView.Part: Int] = [:]
            places.reserveCapacity(old.count)
            for (index, shown) in old.enumerated() { places[shown.part] = index }
            self.places = places
        }
        return places?[part]
    }

    private mutating func keep(_ place: Int, as element: LayoutElement, of count: Int) {
        var shown = old[place]
        let patch = ElementPatch(from: shown.element, to: element)
        shown.element = element
        var content: ViewUpdate.Content?
        if shown.contentRevision != window.revision {
            if !window.hasChanged(shown.part.thing, since: shown.contentRevision) {
                shown.contentRevision = window.revision
            } else if bytes < byteLimit {
                content = self.content(of: shown.part)
                shown.contentRevision = window.revision
            } else {
                isPartial = true
            }
        }
        let key = shown.key
        screen.append(shown)
        guard !patch.isEmpty || content != nil else { return }
        // Where one is different, mostly all behind it are.
        if update.changed.isEmpty { update.changed.reserveCapacity(count) }
        update.changed.append(ViewUpdate.Changed(key: key, to: patch, content: content))
    }

    private mutating func show(_ element: LayoutElement, _ part: RoomView.Part) {
        let shown = RoomView.Shown(
            key: view.makeKey(), part: part, element: element, contentRevision: window.revision)
        screen.append(shown)
        let initial = ElementPatch(from: element, to: beginning(of: element, part))
        update.appeared.append(
            ViewUpdate.Appeared(
                key: shown.key, element: element, initial: initial, content: content(of: part)))
    }

    /// How an element begins to appear: what was there before comes from beside the screen, or from where it
    /// was in the layout before.
    private func beginning(of element: LayoutElement, _ part: RoomView.Part) -> LayoutElement {
        guard let revision = view.revision else { return element }
        if window.isNew(part.thing, since: revision) {
            return layout.appearing(element, bounds: view.bounds)
        }
        guard let former else { return element }
        guard var old = former.element(element.identity, bounds: view.shownBounds), old.isFinite
        else {
            return layout.appearing(element, bounds: view.bounds)
        }
        if let shift = update.shift { old.frame.origin += shift }
        return old
    }

    private func disappearance(of shown: RoomView.Shown) -> ViewUpdate.Disappeared {
        let final = place(now: shown).map { ElementPatch(from: shown.element, to: $0) }
        return ViewUpdate.Disappeared(
            key: shown.key,
            final: final
                ?? ElementPatch(
                    from: shown.element,
                    to: layout.disappeared(shown.element, bounds: view.bounds)))
    }

    /// Where an element is that is not on the screen any more; `nil` if it is nowhere.
    private func place(now shown: RoomView.Shown) -> LayoutElement? {
        identity(now: shown.part).flatMap { layout.element($0, bounds: view.bounds) }
    }

    private func identity(now part: RoomView.Part) -> LayoutElement.Identity? {
        switch part {
        case .cell(let item): return window.path(ofItem: item).map { .cell($0) }
        case .other(let other):
            let kind = other.kind
            switch other.category {
            case .itemSupplementary:
                return window.path(ofItem: other.thing).map {
                    .itemSupplementary(kind: kind, $0)
                }
            case .supplementary:
                return window.sectionIndex(of: other.thing).map {
                    .supplementary(kind: kind, section: $0)
                }
            case .decoration:
                return window.sectionIndex(of: other.thing).map {
                    .decoration(kind: kind, section: $0)
                }
            }
        }
    }

    // MARK: Things

    /// What the elements are parts of.
    private func parts(of elements: [LayoutElement]) -> [RoomView.Part?] {
        var items = ItemRuns(elements, window)
        var section: (index: Int, key: ThingKey?)?
        var copies: [RoomView.OtherPart: Int] = [:]
        return elements.map { element in
            var other: RoomView.OtherPart
            switch element.identity {
            case .cell(let path): return items.key(at: path).map { .cell($0) }
            case .itemSupplementary(let kind, let path):
                guard let item = items.key(at: path) else { return nil }
                other = .init(category: .itemSupplementary, kind: kind, thing: item)
            case .supplementary(let kind, let index), .decoration(let kind, let index):
                if section?.index != index { section = (index, window.sectionKey(at: index)) }
                guard let key = section?.key else { return nil }
                other = .init(category: .supplementary, kind: kind, thing: key)
                if case .decoration = element.identity { other.category = .decoration }
            }
            let copy = copies[other, default: 0]
            copies[other] = copy + 1
            other.copy = copy
            return .other(other)
        }
    }

    private mutating func content(of part: RoomView.Part) -> ViewUpdate.Content? {
        switch part {
        case .cell(let key):
            guard let item = window.item(key) else { return nil }
            bytes += item.content.bytes.count
            return .item(item)
        case .other(let other):
            guard other.category != .itemSupplementary, let section = window.section(other.thing)
            else { return nil }
            bytes += section.content.bytes.count
            return .section(section)
        }
    }
}

extension LayoutElement {
    /// Whether its numbers are finite: sums of lengths may not be.
    fileprivate var isFinite: Bool {
        frame.x.isFinite && frame.y.isFinite && frame.width.isFinite && frame.height.isFinite
            && alpha.isFinite && scale.isFinite
    }
}

/// The items at the places of some elements, read in runs: on a screen mostly one stands behind the other.
private struct ItemRuns {
    /// The cells of a section.
    private struct Run {
        var section: Int
        var low: Int
        var high: Int
        var count = 1
        var keys: [ThingKey] = []
    }

    private let window: RoomWindow
    private var runs: [Run] = []
    /// The run asked last.
    private var current = 0

    init(_ elements: [LayoutElement], _ window: RoomWindow) {
        self.window = window
        for element in elements {
            guard case .cell(let path) = element.identity else { continue }
            if let last = runs.indices.last, runs[last].section == path.section {
                runs[last].low = min(runs[last].low, path.item)
                runs[last].high = max(runs[last].high, path.item)
                runs[last].count += 1
            } else {
                runs.append(Run(section: path.section, low: path.item, high: path.item))
            }
        }
        for (index, run) in runs.enumerated() where run.high - run.low < 4 * run.count {
            runs[index].keys = window.itemKeys(
                inSection: run.section, run.low..<run.high + 1)
        }
    }

    mutating func key(at path: ItemPath) -> ThingKey? {
        if current >= runs.count || runs[current].section != path.section {
            current = runs.firstIndex { $0.section == path.section } ?? runs.count
        }
        if current < runs.count, runs[current].keys.indices.contains(path.item - runs[current].low)
        {
            return runs[current].keys[path.item - runs[current].low]
        }
        return window.itemKey(at: path)
    }
}
