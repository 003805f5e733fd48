import SyncLayout
import SyncModel
import SyncWire

/// The items and sections that the elements on a screen show: each once, as long as an element
/// shows it.
struct ShownContents: Sendable {
    private struct Entry {
        var content: ViewContent
        /// The keys of the elements that show it.
        var keys: Set<UInt32>
    }

    private var entries: [ViewThing: Entry] = [:]
    private(set) var byteCount = 0

    subscript(_ thing: ViewThing) -> ViewContent? { entries[thing]?.content }

    func keys(showing thing: ViewThing) -> Set<UInt32> { entries[thing]?.keys ?? [] }

    /// Adds an element, and sets the content of all that show the same thing.
    mutating func insert(_ key: UInt32, showing content: ViewContent) {
        let thing = content.thing
        guard let index = entries.index(forKey: thing) else {
            entries[thing] = Entry(content: content, keys: [key])
            byteCount += MemoryBytes.of(content)
            return
        }
        set(content, at: index)
        entries.values[index].keys.insert(key)
    }

    /// Sets the content of all elements that show a thing.
    mutating func renew(_ content: ViewContent) {
        if let index = entries.index(forKey: content.thing) { set(content, at: index) }
    }

    private mutating func set(_ content: ViewContent, at index: [ViewThing: Entry].Index) {
        byteCount += MemoryBytes.of(content) - MemoryBytes.of(entries.values[index].content)
        entries.values[index].content = content
    }

    mutating func remove(_ key: UInt32, from thing: ViewThing) {
        // This changes the keys in place. Copying them for each removed key takes quadratic time.
        guard let index = entries.index(forKey: thing) else { return }
        entries.values[index].keys.remove(key)
        guard entries.values[index].keys.isEmpty else { return }
        byteCount -= MemoryBytes.of(entries.values[index].content)
        entries.remove(at: index)
    }
}

extension ViewUpdate {
    /// The contents that it has.
    var contents: [ViewContent] {
        items.map(ViewContent.item) + sections.map(ViewContent.section)
    }
}
