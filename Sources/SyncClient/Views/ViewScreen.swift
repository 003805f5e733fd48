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
/// An update takes time in proportion to its size and to the elements that show its contents, the
/// first one of a connection in proportion to the screen. Memory is in proportion to the screen.
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
    /// The revision that no content is older than; `nil` before the screen is whole. While an
    /// update comes in parts, contents may still be those of the update before.
    package private(set) var wholeRevision: Revision?
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
        let newContents = try check(update)
        if let shift = update.shift { bounds.origin += shift }
        var change = ViewChange(revision: update.revision, bounds: bounds, shift: update.shift)
        change.isTransition = update.isTransition
        if update.isFirst {
            replaceElements(with: update, newContents, &change)
        } else {
            changeElements(update, newContents, &change)
        }
        let size = update.contentSize ?? (update.isFirst ? ListSize(width: 0, height: 0) : nil)
        if let size, size != contentSize || revision == nil {
            contentSize = size
            change.contentSize = size
        }
        number = update.number
        revision = update.revision
        if !update.hasMore { wholeRevision = update.revision }
        awaitsFirst = false
        return change
    }

    /// How many elements there are after an update that fits.
    func count(after update: ViewUpdate) -> Int {
        update.isFirst
            ? update.appeared.count
            : elements.count + update.appeared.count - update.disappeared.count
    }

    private mutating func remove(_ key: UInt32) -> ViewElement? {
        guard let element = elements.removeValue(forKey: key) else { return nil }
        contents.remove(key, from: element.content.thing)
        return element
    }

    private mutating func add(_ element: ViewElement, under key: UInt32) {
        elements[key] = element
        contents.insert(key, showing: element.content)
    }

    // MARK: Checking

    /// - Returns: the update's contents.
    private func check(
        _ update: ViewUpdate
    ) throws(ViewScreenError) -> [ViewThing: ViewContent] {
        guard update.isFirst || (!awaitsFirst && update.number == number &+ 1) else {
            throw .wrongNumber(current: number, update.number)
        }
        var named = Set<UInt32>(
            minimumCapacity: update.changed.count + update.disappeared.count + update.appeared.count
        )
        for entry in update.changed {
            guard named.insert(entry.key).inserted else { throw .repeatedKey(entry.key) }
            guard !update.isFirst, elements[entry.key] != nil else { throw .unknownKey(entry.key) }
        }
        for entry in update.disappeared {
            guard named.insert(entry.key).inserted else { throw .repeatedKey(entry.key) }
            guard !update.isFirst, elements[entry.key] != nil else { throw .unknownKey(entry.key) }
        }
        var newContents: [ViewThing: ViewContent] = [:]
        for content in update.contents {
            guard newContents.updateValue(content, forKey: content.thing) == nil else {
                throw .repeatedThing(content.thing.id)
            }
        }
        for entry in update.appeared {
            guard named.insert(entry.key).inserted, update.isFirst || elements[entry.key] == nil
            else { throw .repeatedKey(entry.key) }
            let isKnown = !update.isFirst && contents[entry.thing] != nil
            guard isKnown || newContents[entry.thing] != nil else { throw .unknownThing(entry.id) }
        }
        return newContents
    }

    // MARK: Changing

    private mutating func changeElements(
        _ update: ViewUpdate, _ newContents: [ViewThing: ViewContent], _ change: inout ViewChange
    ) {
        // An appearing element may show content that only disappearing elements show so far.
        let appeared = update.appeared.compactMap { entry in
            (newContents[entry.thing] ?? contents[entry.thing]).map { (entry, $0) }
        }
        for entry in update.disappeared {
            guard let from = remove(entry.key) else { continue }
            change.disappeared.append(
                ViewChange.Disappeared(from: from, final: entry.final.applied(to: from.element)))
        }
        let renewed = renewContents(newContents)
        change.changed.reserveCapacity(update.changed.count)
        for entry in update.changed { alter(entry.key, entry.to, renewed, &change) }
        if !renewed.isEmpty {
            let moved = Set(update.changed.map(\.key))
            for thing in update.contents.map(\.thing) where renewed[thing] != nil {
                for key in contents.keys(showing: thing) where !moved.contains(key) {
                    alter(key, ElementPatch(), renewed, &change)
                }
            }
        }
        change.appeared.reserveCapacity(appeared.count)
        for (entry, content) in appeared { show(entry, content, &change) }
    }

    /// Takes contents of things that are shown.
    ///
    /// All elements that show a thing have its content. So contents are compared here, once for
    /// each thing, and nowhere else: many elements may show a large one.
    ///
    /// - Returns: those that are not what was shown before.
    private mutating func renewContents(
        _ newContents: [ViewThing: ViewContent]
    ) -> [ViewThing: ViewContent] {
        let renewed = newContents.filter { thing, content in
            contents[thing].map { $0 != content } ?? false
        }
        for content in renewed.values { contents.renew(content) }
        return renewed
    }

    /// Changes an element, and gives it the content of its thing if that is new.
    private mutating func alter(
        _ key: UInt32, _ patch: ElementPatch, _ renewed: [ViewThing: ViewContent],
        _ change: inout ViewChange
    ) {
        guard let index = elements.index(forKey: key) else { return }
        let from = elements.values[index]
        var to = from
        to.element = patch.applied(to: from.element)
        let content = renewed.isEmpty ? nil : renewed[from.content.thing]
        if let content { to.content = content }
        guard content != nil || to.element != from.element else { return }
        elements.values[index] = to
        change.changed.append(ViewChange.Changed(from: from, to: to))
    }

    private mutating func show(
        _ entry: ViewUpdate.Appeared, _ content: ViewContent, _ change: inout ViewChange
    ) {
        lastKey &+= 1
        let element = ViewElement(key: lastKey, element: entry.element, content: content)
        add(element, under: entry.key)
        change.appeared.append(
            ViewChange.Appeared(initial: entry.initial.applied(to: entry.element), to: element))
    }

    /// Replaces all elements. Those that are the same parts of the same things stay, under their
    /// keys.
    private mutating func replaceElements(
        with update: ViewUpdate, _ newContents: [ViewThing: ViewContent],
        _ change: inout ViewChange
    ) {
        let old = sorted
        var known: [ElementPart: ViewElement] = [:]
        for element in old {
            let part = ElementPart(element)
            if known[part] == nil { known[part] = element }
        }
        elements = Dictionary(minimumCapacity: update.appeared.count)
        contents = ShownContents()
        var kept: Set<UInt64> = []
        change.appeared.reserveCapacity(old.isEmpty ? update.appeared.count : 0)
        for entry in update.appeared {
            guard let content = newContents[entry.thing] else { continue }
            var element = ViewElement(key: 0, element: entry.element, content: content)
            guard !known.isEmpty, let from = known.removeValue(forKey: ElementPart(element)) else {
                show(entry, content, &change)
                continue
            }
            element.key = from.key
            kept.insert(from.key)
            add(element, under: entry.key)
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
