package import SyncLayout
package import SyncModel
package import SyncWire

/// The elements on a view's screen, as the updates change them.
///
/// Invariants:
/// 1. An update is applied as a whole, or is an error and changes nothing.
/// 2. The result of ``apply(_:)`` leads from the former elements to the new ones. An element has
///    one key as long as it is on the screen, whatever keys the server uses for it.
///
/// # Performance
/// An update takes time in proportion to its size, the first one of a connection in proportion to
/// the screen. Memory is in proportion to the screen.
package struct ViewScreen: Sendable {
    /// The elements by the server's keys.
    private var elements: [UInt32: ViewElement] = [:]
    private var contents = ShownContents()
    private var lastKey: UInt64 = 0
    /// Whether only a first update can follow: there are no keys, or they are those of a lost
    /// connection.
    private(set) var awaitsFirst = true

    /// The revision that is shown; `nil` before the first update.
    package private(set) var revision: Revision?
    /// The size of all that can be scrolled to.
    package private(set) var contentSize = ListSize(width: 0, height: 0)
    /// What is on the screen, in the content's coordinates.
    package var bounds: ListRect
    /// The number of the last update; 0 before the first.
    package private(set) var number: UInt64 = 0

    package init(bounds: ListRect) {
        self.bounds = bounds
    }

    /// All that is shown.
    package var snapshot: ViewSnapshot {
        ViewSnapshot(
            revision: revision, contentSize: contentSize, bounds: bounds, elements: sorted)
    }

    /// The first item within the bounds, in content order; `nil` if none is shown there.
    var anchor: ItemAnchor? {
        var first: (path: ItemPath, anchor: ItemAnchor)?
        for shown in elements.values {
            guard case .cell(let path) = shown.element.identity,
                case .item(let item) = shown.content, first.map({ path < $0.path }) ?? true,
                // A dragged item is not in its place.
                shown.element.frame.intersects(bounds), shown.element.zIndex != HeldItem.zIndex
            else { continue }
            let frame = shown.element.frame
            let distance = ListPoint(x: frame.x - bounds.x, y: frame.y - bounds.y)
            first = (path, ItemAnchor(item: item.id, distance: distance))
        }
        return first?.anchor
    }

    /// How many elements it has.
    package var elementCount: Int { elements.count }

    /// Bytes of what the elements show.
    package var byteCount: Int { contents.byteCount }

    /// The items of cells, in no order.
    var items: [(path: ItemPath, item: Item)] {
        elements.values.compactMap { shown in
            guard case .cell(let path) = shown.element.identity,
                case .item(let item) = shown.content
            else { return nil }
            return (path, item)
        }
    }

    /// The elements in the order in which they appeared.
    private var sorted: [ViewElement] { elements.values.sorted { $0.key < $1.key } }

    /// Notes that the connection is lost. The screen stays until the next connection's first
    /// update; no other update can follow.
    package mutating func didLoseConnection() {
        awaitsFirst = true
        number = 0
    }

    /// Applies an update.
    ///
    /// - Returns: the change. For the first update after a lost connection, that is the difference
    ///   from the former screen.
    package mutating func apply(_ update: ViewUpdate) throws(ViewScreenError) -> ViewChange {
        try check(update)
        if let shift = update.shift { bounds.origin += shift }
        var change = ViewChange(revision: update.revision, bounds: bounds, shift: update.shift)
        change.isTransition = update.isTransition
        if update.isFirst {
            replaceElements(with: update, &change)
        } else {
            changeElements(update, &change)
        }
        let size = update.contentSize ?? (update.isFirst ? ListSize(width: 0, height: 0) : nil)
        if let size, size != contentSize || revision == nil {
            contentSize = size
            change.contentSize = size
        }
        number = update.number
        revision = update.revision
        awaitsFirst = false
        return change
    }

    /// How many elements there are after an update that fits.
    func count(after update: ViewUpdate) -> Int {
        update.isFirst
            ? update.appeared.count
            : elements.count + update.appeared.count - update.disappeared.count
    }

    private mutating func put(_ element: ViewElement?, under key: UInt32) {
        let former = elements[key]
        elements[key] = element
        if let former { contents.remove(key, from: former.content.thing) }
        if let element { contents.insert(key, showing: element.content) }
    }

    // MARK: Checking

    private func check(_ update: ViewUpdate) throws(ViewScreenError) {
        guard update.isFirst || (!awaitsFirst && update.number == number &+ 1) else {
            throw .wrongNumber(current: number, update.number)
        }
        var named: Set<UInt32> = []
        for entry in update.changed {
            guard named.insert(entry.key).inserted else { throw .repeatedKey(entry.key) }
            guard !update.isFirst, elements[entry.key] != nil else { throw .unknownKey(entry.key) }
        }
        for entry in update.disappeared {
            guard named.insert(entry.key).inserted else { throw .repeatedKey(entry.key) }
            guard !update.isFirst, elements[entry.key] != nil else { throw .unknownKey(entry.key) }
        }
        var newThings: Set<ViewThing> = []
        for content in update.contents {
            guard newThings.insert(content.thing).inserted else {
                throw .repeatedThing(content.thing.id)
            }
        }
        for entry in update.appeared {
            guard named.insert(entry.key).inserted, update.isFirst || elements[entry.key] == nil
            else { throw .repeatedKey(entry.key) }
            let isKnown = !update.isFirst && contents[entry.thing] != nil
            guard isKnown || newThings.contains(entry.thing) else { throw .unknownThing(entry.id) }
        }
    }

    // MARK: Changing

    private mutating func changeElements(_ update: ViewUpdate, _ change: inout ViewChange) {
        let newContents = Dictionary(update.contents.map { ($0.thing, $0) }) { $1 }
        // An appearing element may show content that only disappearing elements show so far.
        let appeared = update.appeared.compactMap { entry in
            (newContents[entry.thing] ?? contents[entry.thing]).map { (entry, $0) }
        }
        for entry in update.disappeared {
            guard let from = elements[entry.key] else { continue }
            put(nil, under: entry.key)
            change.disappeared.append(
                ViewChange.Disappeared(from: from, final: entry.final.applied(to: from.element)))
        }
        var former: [(key: UInt32, element: ViewElement)] = []
        for entry in update.changed {
            guard var element = elements[entry.key] else { continue }
            former.append((entry.key, element))
            element.element = entry.to.applied(to: element.element)
            put(element, under: entry.key)
        }
        let moved = Set(update.changed.map(\.key))
        var renewed: Set<ViewThing> = []
        // All elements that show a thing have its content, so contents are compared here, once for
        // each thing, and nowhere else: a large one may be shown by many elements.
        for content in update.contents where contents[content.thing] != content {
            renewed.insert(content.thing)
            for key in contents.keys(showing: content.thing) {
                guard var element = elements[key] else { continue }
                if !moved.contains(key) { former.append((key, element)) }
                element.content = content
                put(element, under: key)
            }
        }
        for (key, from) in former {
            guard let to = elements[key],
                to.element != from.element || renewed.contains(to.content.thing)
            else { continue }
            change.changed.append(ViewChange.Changed(from: from, to: to))
        }
        for (entry, content) in appeared { show(entry, content, &change) }
    }

    private mutating func show(
        _ entry: ViewUpdate.Appeared, _ content: ViewContent, _ change: inout ViewChange
    ) {
        lastKey &+= 1
        let element = ViewElement(key: lastKey, element: entry.element, content: content)
        put(element, under: entry.key)
        change.appeared.append(
            ViewChange.Appeared(initial: entry.initial.applied(to: entry.element), to: element))
    }

    /// Replaces all elements. Those that are the same parts of the same things stay, under their
    /// keys.
    private mutating func replaceElements(with update: ViewUpdate, _ change: inout ViewChange) {
        let old = sorted
        var known: [ElementPart: ViewElement] = [:]
        for element in old {
            let part = ElementPart(element)
            if known[part] == nil { known[part] = element }
        }
        let newContents = Dictionary(update.contents.map { ($0.thing, $0) }) { $1 }
        elements = Dictionary(minimumCapacity: update.appeared.count)
        contents = ShownContents()
        var kept: Set<UInt64> = []
        for entry in update.appeared {
            guard let content = newContents[entry.thing] else { continue }
            var element = ViewElement(key: 0, element: entry.element, content: content)
            guard let from = known.removeValue(forKey: ElementPart(element)) else {
                show(entry, content, &change)
                continue
            }
            element.key = from.key
            kept.insert(from.key)
            put(element, under: entry.key)
            if element != from {
                change.changed.append(ViewChange.Changed(from: from, to: element))
            }
        }
        for element in old where !kept.contains(element.key) {
            change.disappeared.append(
                ViewChange.Disappeared(from: element, final: element.element))
        }
    }
}
