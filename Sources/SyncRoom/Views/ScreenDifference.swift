import SyncEngine
import SyncLayout
import SyncWire

/// Finds out what is different between what a view's client holds and what it is to see.
struct ScreenDifference {
    let view: RoomView
    let layout: CollectionLayout
    let window: RoomWindow
    /// How many bytes of contents an update may have; the rest comes with the next one.
    let byteLimit: Int

    private var update: ViewUpdate
    private var screen: [RoomView.Shown] = []
    private var bytes = 0
    private var isPartial = false
    /// Where the parts are in the screen before, once that is not plain.
    private var places: [RoomView.Part: Int]?
    private var isKept: [Bool]

    init(
        of view: RoomView, in layout: CollectionLayout, _ window: RoomWindow, room: RoomHandle,
        byteLimit: Int
    ) {
        self.view = view
        self.layout = layout
        self.window = window
        self.byteLimit = byteLimit
        update = ViewUpdate(
            room: room, view: view.number, number: 0, revision: window.revision,
            isFirst: view.revision == nil)
        isKept = Array(repeating: false, count: view.screen.count)
    }

    /// The update that takes the client to now, which it is taken to have taken in; `nil` if nothing is
    /// different.
    mutating func finish(elementLimit: Int) throws(LayoutError) -> ViewUpdate? {
        keepStill()
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
        for index in view.screen.indices where !isKept[index] {
            update.disappeared.append(disappearance(of: view.screen[index]))
        }
        view.screen = screen
        view.revision = window.revision
        view.contentSize = size
        view.shownBounds = bounds
        view.isPartial = isPartial
        view.isChanged = false
        view.keepsAnchor = false
        guard !isEmpty else { return nil }
        update.number = view.nextUpdateNumber()
        return update
    }

    private var isEmpty: Bool {
        !update.isFirst && update.contentSize == nil && update.shift == nil
            && update.appeared.isEmpty && update.changed.isEmpty && update.disappeared.isEmpty
    }

    // MARK: What keeps still

    /// Moves the bounds so that the first item on the screen stays where the client has it.
    private mutating func keepStill() {
        guard let revision = view.revision, revision != window.revision || view.keepsAnchor
        else { return }
        // Where the client has scrolled to means nothing in another layout.
        let seen = view.keepsAnchor ? view.shownBounds : view.bounds
        var offset = layout.contentOffset(clamping: view.bounds)
        for shown in view.screen where shown.part.category == .cell {
            guard shown.element.frame.intersects(seen),
                let path = window.path(ofItem: shown.part.thing)
            else { continue }
            let distance = Point(
                x: shown.element.frame.x - seen.x, y: shown.element.frame.y - seen.y)
            offset = layout.contentOffset(
                keeping: ScrollAnchor(path: path, distance: distance), bounds: view.bounds)
            break
        }
        let shift = Point(x: offset.x - view.bounds.x, y: offset.y - view.bounds.y)
        guard shift != Point() else { return }
        view.move(by: shift)
        update.shift = shift
    }

    // MARK: Element by element

    private mutating func compare(_ elements: [LayoutElement]) {
        let parts = self.parts(of: elements)
        screen.reserveCapacity(elements.count)
        for (element, part) in zip(elements, parts) {
            guard let part else { continue }
            if let index = place(of: part) {
                isKept[index] = true
                keep(view.screen[index], as: element)
            } else if bytes < byteLimit {
                show(element, part)
            } else {
                isPartial = true
            }
        }
    }

    /// Where the client has a part. Mostly the parts are the same ones in the same order.
    private mutating func place(of part: RoomView.Part) -> Int? {
        let next = screen.count
        if places == nil {
            if next < view.screen.count, view.screen[next].part == part { return next }
            var places: [RoomView.Part: Int] = [:]
            places.reserveCapacity(view.screen.count)
            for (index, shown) in view.screen.enumerated() { places[shown.part] = index }
            self.places = places
        }
        return places?[part]
    }

    private mutating func keep(_ old: RoomView.Shown, as element: LayoutElement) {
        var shown = old
        shown.element = element
        var content: ViewUpdate.Content?
        if old.contentRevision != window.revision {
            if !window.hasChanged(old.part.thing, since: old.contentRevision) {
                shown.contentRevision = window.revision
            } else if bytes < byteLimit {
                content = self.content(of: old.part)
                shown.contentRevision = window.revision
            } else {
                isPartial = true
            }
        }
        screen.append(shown)
        let patch = ElementPatch(from: old.element, to: element)
        guard !patch.isEmpty || content != nil else { return }
        update.changed.append(ViewUpdate.Changed(key: old.key, to: patch, content: content))
    }

    private mutating func show(_ element: LayoutElement, _ part: RoomView.Part) {
        let shown = RoomView.Shown(
            key: view.makeKey(), part: part, element: element, contentRevision: window.revision)
        screen.append(shown)
        var initial = ElementPatch()
        if let revision = view.revision, window.isNew(part.thing, since: revision) {
            initial = ElementPatch(
                from: element, to: layout.appearing(element, bounds: view.bounds))
        }
        update.appeared.append(
            ViewUpdate.Appeared(
                key: shown.key, element: element, initial: initial, content: content(of: part)))
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
        let part = shown.part
        switch part.category {
        case .cell:
            return window.path(ofItem: part.thing).flatMap {
                layout.element(.cell($0), bounds: view.bounds)
            }
        case .itemSupplementary:
            return window.path(ofItem: part.thing).flatMap {
                layout.element(.itemSupplementary(kind: part.kind, $0), bounds: view.bounds)
            }
        case .supplementary:
            return window.sectionIndex(of: part.thing).flatMap {
                layout.element(
                    .supplementary(kind: part.kind, section: $0), bounds: view.bounds)
            }
        case .decoration:
            return window.sectionIndex(of: part.thing).flatMap {
                layout.element(.decoration(kind: part.kind, section: $0), bounds: view.bounds)
            }
        }
    }

    // MARK: Things

    /// What the elements are parts of.
    private func parts(of elements: [LayoutElement]) -> [RoomView.Part?] {
        var items = ItemRuns(elements, window)
        var section: (index: Int, key: ThingKey?)?
        var copies: [RoomView.Part: Int] = [:]
        return elements.map { element in
            var category = RoomView.Part.Category.cell
            var name = ""
            var thing: ThingKey?
            switch element.identity {
            case .cell(let path): thing = items.key(at: path)
            case .itemSupplementary(let kind, let path):
                (category, name, thing) = (.itemSupplementary, kind, items.key(at: path))
            case .supplementary(let kind, let index), .decoration(let kind, let index):
                if section?.index != index { section = (index, window.sectionKey(at: index)) }
                (category, name, thing) = (.supplementary, kind, section?.key)
                if case .decoration = element.identity { category = .decoration }
            }
            guard let thing else { return nil }
            var part = RoomView.Part(category: category, kind: name, thing: thing)
            if category == .cell { return part }
            part.copy = copies[part, default: 0]
            copies[RoomView.Part(category: category, kind: name, thing: thing), default: 0] += 1
            return part
        }
    }

    private mutating func content(of part: RoomView.Part) -> ViewUpdate.Content? {
        switch part.category {
        case .cell:
            guard let item = window.item(part.thing) else { return nil }
            bytes += item.content.bytes.count
            return .item(item)
        case .supplementary, .decoration:
            guard let section = window.section(part.thing) else { return nil }
            bytes += section.content.bytes.count
            return .section(section)
        case .itemSupplementary: return nil
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
    private let window: RoomWindow
    private var runs: [Int: (first: Int, keys: [ThingKey])] = [:]

    init(_ elements: [LayoutElement], _ window: RoomWindow) {
        self.window = window
        var ranges: [Int: (low: Int, high: Int, count: Int)] = [:]
        for element in elements {
            guard case .cell(let path) = element.identity else { continue }
            let known = ranges[path.section] ?? (path.item, path.item, 0)
            ranges[path.section] = (
                min(known.low, path.item), max(known.high, path.item), known.count + 1
            )
        }
        for (section, range) in ranges where range.high - range.low < 4 * range.count {
            runs[section] = (
                range.low, window.itemKeys(inSection: section, range.low..<range.high + 1)
            )
        }
    }

    mutating func key(at path: ItemPath) -> ThingKey? {
        if let run = runs[path.section], run.keys.indices.contains(path.item - run.first) {
            return run.keys[path.item - run.first]
        }
        return window.itemKey(at: path)
    }
}
