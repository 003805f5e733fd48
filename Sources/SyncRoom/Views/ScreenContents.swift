import SyncEngine
import SyncLayout
import SyncModel

/// The contents that an update tells: of each item and section on the screen that the client does
/// not hold, or not as it is now, once.
struct ScreenContents {
    private(set) var items: [Item] = []
    private(set) var sections: [ListSection] = []

    private let window: RoomWindow
    /// How many bytes there may be, about; the rest comes with the next update.
    private let byteLimit: Int
    private var byteCount = 0
    /// At which revision the client holds what several elements may show.
    private var held: [ThingKey: Revision] = [:]
    /// Whether items are shown by more than their cells; mostly they are not.
    private var sharesItems = false

    init(of window: RoomWindow, byteLimit: Int) {
        self.window = window
        self.byteLimit = byteLimit
    }

    var isEmpty: Bool { items.isEmpty && sections.isEmpty }

    /// Takes note of what the client holds by the elements on its screen, before others come there.
    mutating func prepare(for elements: [LayoutElement], after screen: [ScreenElement]) {
        sharesItems =
            elements.contains { $0.isItemSupplementary }
            || screen.contains { $0.part.isItemSupplementary }
        for shown in screen where isShared(shown.part) {
            held[shown.part.thing] = shown.contentRevision
        }
    }

    /// Sees to it that the client holds what an element shows.
    ///
    /// - Parameter own: the revision at which the element has shown it so far.
    /// - Returns: the revision at which the client then holds it, which is an older one where there
    ///   is no room for more; `nil` if it holds nothing of it.
    mutating func tell(_ part: ScreenPart, held own: Revision?) -> Revision? {
        let thing = part.thing
        let known = isShared(part) ? held[thing] : own
        if let known, known == window.revision || !window.hasChanged(thing, since: known) {
            return window.revision
        }
        guard byteCount < byteLimit else { return known }
        add(thing)
        if isShared(part) { held[thing] = window.revision }
        return window.revision
    }

    private func isShared(_ part: ScreenPart) -> Bool {
        if case .cell = part { return sharesItems }
        return true
    }

    private mutating func add(_ thing: ThingKey) {
        if let item = window.item(thing) {
            byteCount += item.content.bytes.count
            items.append(item)
        } else if let section = window.section(thing) {
            byteCount += section.content.bytes.count
            sections.append(section)
        }
    }
}

extension LayoutElement {
    fileprivate var isItemSupplementary: Bool {
        if case .itemSupplementary = identity { return true }
        return false
    }
}

extension ScreenPart {
    fileprivate var isItemSupplementary: Bool {
        if case .other(let other) = self { return other.category == .itemSupplementary }
        return false
    }
}
