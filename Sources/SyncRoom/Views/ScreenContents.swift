import SyncEngine
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

    /// Notes what the client has by the elements on its screen, before others come there.
    ///
    /// - Parameter addsItemSupplementaries: whether there are any among those that come.
    mutating func prepare(after screen: [ScreenElement], addsItemSupplementaries: Bool) {
        sharesItems = addsItemSupplementaries
        for index in screen.indices {
            guard case .other(let other) = screen[index].part else { continue }
            held[other.thing] = screen[index].contentRevision
            if other.category == .itemSupplementary { sharesItems = true }
        }
        guard sharesItems else { return }
        for index in screen.indices {
            held[screen[index].part.thing] = screen[index].contentRevision
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
