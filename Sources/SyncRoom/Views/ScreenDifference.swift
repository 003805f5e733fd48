import SyncEngine
import SyncLayout
import SyncModel
import SyncWire

/// Computes the update of a view: the difference between its client's screen and the screen that it
/// is to have.
struct ScreenDifference {
    let view: RoomView
    let layout: LayoutPreview
    let window: RoomWindow
    /// The layout of the client's screen, if that is another one.
    private let former: CollectionLayout?

    private var update: ViewUpdate
    private var contents: ScreenContents
    private let buffers: ScreenBuffers
    private var old: [ScreenElement]
    private var isPartial = false
    /// The index in `old` after the part that was found last.
    private var next = 0
    /// The indices of the parts in a large `old`. Made when a part is first found out of order.
    private var places: [ScreenPart: Int]?
    /// The section that was looked up last.
    private var section: (index: Int, key: ThingKey?)?
    /// How many elements so far have each kind and thing, see ``ScreenPart/Other/copy``.
    private var copies: [ScreenPart.Other: Int] = [:]

    /// On a screen of so many elements a linear search finds a part.
    #if DEBUG
        // So small that short random tests exceed it.
        private static let fewElements = 4
    #else
        private static let fewElements = 64
    #endif

    init(
        of view: RoomView, in layout: LayoutPreview, from former: CollectionLayout?,
        _ window: RoomWindow, room: RoomHandle, byteLimit: Int, _ buffers: ScreenBuffers
    ) {
        self.view = view
        self.layout = layout
        self.former = former
        self.window = window
        contents = ScreenContents(of: window, byteLimit: byteLimit)
        update = ViewUpdate(
            room: room, view: view.number, number: 0, serial: view.serial,
            revision: window.revision,
            isFirst: view.revision == nil, isTransition: former != nil && view.revision != nil)
        old = view.screen
        self.buffers = buffers
    }

    /// The update to the present screen, after ``moveBounds()``. From then on the view assumes that
    /// the client has applied it. `nil` if nothing is different.
    mutating func finish(elementLimit: Int) throws(LayoutError) -> ViewUpdate? {
        // After a partial update the client waits for one that is not, even if that is empty.
        let isAwaited =
            view.isAwaited || view.isPartial || view.bringsCommit(window.revision)
        let bounds = view.viewport.bounds
        let over = view.viewport.overscan
        let area = bounds.inset(by: Insets(top: -over, left: -over, bottom: -over, right: -over))
        try layout.read(&buffers.elements, in: area, bounds: bounds, limit: elementLimit)
        let elements = buffers.elements
        let size = layout.contentSize(in: bounds)
        guard size.width.isFinite, size.height.isFinite, elements.allSatisfy(\.isFinite) else {
            throw .tooLong
        }
        if size != view.contentSize { update.contentSize = size }
        compare(elements)
        for index in old.indices where !buffers.isKept[index] {
            update.disappeared.append(disappearance(of: old[index]))
        }
        // So that the buffers can use its memory again.
        old = []
        buffers.give(to: view)
        view.revision = window.revision
        view.contentSize = size
        view.viewport.didShow()
        view.isPartial = isPartial
        view.isChanged = false
        view.isAwaited = false
        guard isAwaited || !isEmpty else { return nil }
        update.head.number = view.nextUpdateNumber()
        update.hasMore = isPartial
        (update.items, update.sections) = (contents.items, contents.sections)
        return update
    }

    private var isEmpty: Bool {
        !update.isFirst && update.contentSize == nil && update.shift == nil && contents.isEmpty
            && update.appeared.isEmpty && update.changed.isEmpty && update.disappeared.isEmpty
    }

    // MARK: Where the bounds are

    /// Moves the bounds: to where the client asks for, or so that an item on the screen
    /// stays in its place there, unless the client has put them into a new layout. Then to a
    /// resting place of the layout, if the client asks for that.
    mutating func moveBounds() {
        var bounds = view.viewport.bounds
        if let offset = wantedOffset() {
            bounds.origin = offset
        } else if isAnchored {
            bounds.origin = anchoredOffset ?? layout.contentOffset(clamping: bounds)
        }
        if view.viewport.snaps {
            bounds.origin = layout.targetContentOffset(proposed: bounds.origin, bounds: bounds)
        }
        let shift = ListPoint(
            x: bounds.x - view.viewport.bounds.x, y: bounds.y - view.viewport.bounds.y)
        // Far out, sums of huge numbers are not finite.
        guard shift != ListPoint(), shift.x.isFinite, shift.y.isFinite else { return }
        view.move(by: shift)
        layout.moveHeld(by: shift)
        update.shift = shift
    }

    /// The offset of the bounds that the client asks for; `nil` if it asks for none, or for an item
    /// that is not there.
    private func wantedOffset() -> ListPoint? {
        let bounds = view.viewport.bounds
        switch view.viewport.anchor {
        case nil: return nil
        case .beginning:
            view.viewport.anchor = nil
            view.isAwaited = true
            return layout.contentOffset(atBeginningOf: bounds)
        case .item(let item, let distance, let revision):
            guard let path = window.path(ofItem: item) else {
                if window.revision >= revision { view.viewport.anchor = nil }
                return nil
            }
            view.viewport.anchor = nil
            view.isAwaited = true
            return layout.contentOffset(
                keeping: ScrollAnchor(path: path, distance: distance), bounds: bounds)
        }
    }

    /// Whether something else than the client has changed what is at the bounds.
    private var isAnchored: Bool {
        guard let revision = view.revision else { return false }
        switch view.viewport.transition {
        case .placed: return false
        case .keepingAnchor: return true
        case nil: return revision != window.revision
        }
    }

    /// The offset of the bounds that keeps an item in its place on the screen. `nil` if there is
    /// no such item.
    private var anchoredOffset: ListPoint? {
        let viewport = view.viewport
        guard case .keepingAnchor(let seen)? = viewport.transition else {
            return offset(keepingFirstItemIn: viewport.bounds)
        }
        // Where the client has scrolled to, the screen may have had nothing yet.
        return offset(keepingFirstItemIn: seen)
            ?? offset(keepingFirstItemIn: viewport.shownBounds)
    }

    /// The offset of the bounds that keeps the place of the first item in a part of the screen that
    /// was neither moved nor deleted since. The client may have scrolled on after a change of the
    /// layout. So the distance is that from the bounds.
    private func offset(keepingFirstItemIn seen: ListRect) -> ListPoint? {
        let bounds = view.viewport.bounds
        for index in old.indices {
            let frame = old[index].element.frame
            guard frame.intersects(seen), case .cell(let item) = old[index].part,
                let path = window.path(ofItem: item),
                !window.hasMoved(item, since: view.revision ?? window.revision)
            else { continue }
            // A dragged item stays under the pointer and is no anchor.
            if layout.isHeld(path) || old[index].element.zIndex == HeldItem.zIndex { continue }
            let distance = ListPoint(x: frame.x - bounds.x, y: frame.y - bounds.y)
            return layout.contentOffset(
                keeping: ScrollAnchor(path: path, distance: distance), bounds: bounds)
        }
        return nil
    }

    // MARK: Element by element

    private mutating func compare(_ elements: [LayoutElement]) {
        buffers.isKept.removeAll(keepingCapacity: true)
        buffers.isKept.append(contentsOf: repeatElement(false, count: old.count))
        if buffers.screen.capacity < elements.count {
            buffers.screen.reserveCapacity(elements.count)
        }
        update.changed = buffers.takeChanged()
        buffers.items.read(elements, in: window)
        contents.prepare(
            after: old, addsItemSupplementaries: buffers.items.haveSupplementaries)
        for index in elements.indices {
            guard let part = part(of: elements[index]) else { continue }
            if let place = place(of: part) {
                next = place + 1
                buffers.isKept[place] = true
                keep(place, as: elements[index], part)
            } else {
                show(elements[index], part)
            }
        }
    }

    /// The index of a part on the client's screen. Mostly the parts are the same in the same order.
    private mutating func place(of part: ScreenPart) -> Int? {
        if next < old.count, old[next].part == part { return next }
        if old.count <= ScreenDifference.fewElements {
            return old.indices.first { old[$0].part == part }
        }
        if places == nil {
            var places: [ScreenPart: Int] = [:]
            places.reserveCapacity(old.count)
            for (index, shown) in old.enumerated() { places[shown.part] = index }
            self.places = places
        }
        return places?[part]
    }

    private mutating func keep(
        _ place: Int, as element: LayoutElement, _ part: ScreenPart
    ) {
        let patch = ElementPatch(from: old[place].element, to: element)
        let key = old[place].key
        let sent = old[place].contentRevision
        let contentRevision = contents.include(part, sent: sent) ?? sent
        if contentRevision != window.revision { isPartial = true }
        buffers.screen.append(
            ScreenElement(
                key: key, part: part, element: element, contentRevision: contentRevision))
        guard !patch.isEmpty else { return }
        update.changed.append(ViewUpdate.Changed(key: key, to: patch))
    }

    private mutating func show(_ element: LayoutElement, _ part: ScreenPart) {
        guard let id = window.id(of: part.thing) else { return }
        let contentRevision = contents.include(part, sent: nil)
        if contentRevision != window.revision { isPartial = true }
        guard let contentRevision else { return }
        let shown = ScreenElement(
            key: view.makeKey(), part: part, element: element, contentRevision: contentRevision)
        buffers.screen.append(shown)
        let initial = ElementPatch(from: element, to: beginning(of: element, part))
        update.appeared.append(
            ViewUpdate.Appeared(key: shown.key, element: element, of: id, initial: initial))
    }

    /// How an element begins to appear. The element of a new thing has the layout's appearance.
    /// With a former layout, others begin where they were in that.
    private func beginning(of element: LayoutElement, _ part: ScreenPart) -> LayoutElement {
        guard let revision = view.revision else { return element }
        if window.isNew(part.thing, since: revision) {
            return layout.appearing(element, bounds: view.viewport.bounds)
        }
        guard let former else { return element }
        guard var old = former.element(element.identity, bounds: view.viewport.shownBounds),
            old.isFinite
        else {
            return layout.appearing(element, bounds: view.viewport.bounds)
        }
        if let shift = update.shift { old.frame.origin += shift }
        return old
    }

    private func disappearance(of shown: ScreenElement) -> ViewUpdate.Disappeared {
        let final = place(now: shown).map { ElementPatch(from: shown.element, to: $0) }
        return ViewUpdate.Disappeared(
            key: shown.key,
            final: final
                ?? ElementPatch(
                    from: shown.element,
                    to: layout.disappeared(shown.element, bounds: view.viewport.bounds)))
    }

    /// The place of an element that has left the screen; `nil` if it is not in the layout any more.
    private func place(now shown: ScreenElement) -> LayoutElement? {
        identity(now: shown.part).flatMap { layout.element($0, bounds: view.viewport.bounds) }
    }

    private func identity(now part: ScreenPart) -> LayoutElement.Identity? {
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

    /// The part that an element shows; `nil` if its thing does not exist. Called for the elements
    /// in order.
    private mutating func part(of element: LayoutElement) -> ScreenPart? {
        var other: ScreenPart.Other
        switch element.identity {
        case .cell(let path): return buffers.items.key(at: path, in: window).map { .cell($0) }
        case .itemSupplementary(let kind, let path):
            guard let item = buffers.items.key(at: path, in: window) else { return nil }
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

extension LayoutElement {
    /// Whether its numbers are finite: sums of lengths may not be.
    fileprivate var isFinite: Bool {
        frame.x.isFinite && frame.y.isFinite && frame.width.isFinite && frame.height.isFinite
            && alpha.isFinite && scale.isFinite
    }
}
