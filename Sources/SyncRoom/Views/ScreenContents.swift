import SyncEngine
import SyncModel

/// The contents in an update: those of each item and section on the screen that the client does not
/// have in its newest version. Each is sent once.
struct ScreenContents {
    private(set) var items: [Item] = []
    private(set) var sections: [ListSection] = []

    private let window: RoomWindow
    /// The limit of bytes, about. The rest follows with the next update.
    private let byteLimit: Int
    private var byteCount = 0
    /// The revisions of the client's contents, for things that several elements may show.
    private var sentRevisions: [ThingKey: Revision] = [:]
    /// Whether elements other than cells show items. Mostly none does.
    private var sharesItems = false

    init(of window: RoomWindow, byteLimit: Int) {
        self.window = window
        self.byteLimit = byteLimit
    }

    var isEmpty: Bool { items.isEmpty && sections.isEmpty }

    /// Records the contents that the client has for the elements on its screen, before new elements
    /// are added.
    ///
    /// - Parameter addsItemSupplementaries: whether the new elements include any.
    mutating func prepare(after screen: [ScreenElement], addsItemSupplementaries: Bool) {
        sharesItems = addsItemSupplementaries
        for index in screen.indices {
            guard case .other(let other) = screen[index].part else { continue }
            sentRevisions[other.thing] = screen[index].contentRevision
            if other.category == .itemSupplementary { sharesItems = true }
        }
        guard sharesItems else { return }
        for index in screen.indices {
            sentRevisions[screen[index].part.thing] = screen[index].contentRevision
        }
    }

    /// Adds the content of an element's thing, if the client does not have it in its newest
    /// version.
    ///
    /// - Parameter own: the revision of the content that the element has shown so far.
    /// - Returns: the revision of the content that the client has after this update. It is an older
    ///   one if the update is full, and `nil` if the client has no content of the thing.
    mutating func include(_ part: ScreenPart, sent own: Revision?) -> Revision? {
        let thing = part.thing
        let known = isShared(part) ? sentRevisions[thing] : own
        if let known, known == window.revision || !window.hasChanged(thing, since: known) {
            return window.revision
        }
        guard byteCount < byteLimit else { return known }
        add(thing)
        if isShared(part) { sentRevisions[thing] = window.revision }
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
