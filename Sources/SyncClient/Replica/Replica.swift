package import SyncModel

/// A client's copy of a room: its sections and their items, in order, at one revision.
///
/// It begins without a revision, gets one from a snapshot, and advances by batches.
///
/// Invariants:
/// 1. With a revision, it is exactly the room at that revision, if the server is correct.
/// 2. A batch that does not fit is an error: the replica then is empty and has no revision until a
///    snapshot comes. No input makes it trap.
///
/// # Performance
/// It is a value: a copy costs nothing until one of the two changes. A batch of k changes in a room
/// of n items costs O(k log k + n/c + kc) with chunks of c items, and never more than O(n + k log
/// k).
///
/// The table of places by id is built for the first look-up of an id.
package struct Replica: Sendable {
    struct SectionEntry: Sendable {
        var section: ListSection
        var items: ChunkedList<Item>
        /// No other section that the replica has or had has this number.
        let number: Int
    }

    /// Where an item is, independent of what is inserted or removed before it.
    struct Place: Equatable {
        var section: Int
        var chunk: Int
    }

    /// The revision of the content; `nil` without content.
    package private(set) var revision: Revision?
    var sections: ChunkedList<SectionEntry>
    let maximumChunk: Int
    /// The bytes of the content, and the most to which batches may grow them.
    package internal(set) var byteCount = 0
    let maximumBytes: Int
    /// The places of all items by id; `nil` until the first look-up.
    var places: [Identifier: Place]?
    private var lastSection = 0

    /// - Parameter maximumChunk: tests make it small, so that every path runs.
    package init(maximumChunk: Int = 1024, maximumBytes: Int = .max) {
        self.maximumChunk = maximumChunk
        self.maximumBytes = maximumBytes
        sections = ChunkedList(maximumChunk: maximumChunk)
    }

    /// Replaces the content by that of a snapshot.
    package mutating func load(_ snapshot: Snapshot) {
        let entries = snapshot.sections.map { makeEntry($0.section, $0.items) }
        sections = ChunkedList(entries, maximumChunk: maximumChunk)
        places = nil
        byteCount = MemoryBytes.of(snapshot)
        revision = snapshot.revision
    }

    mutating func makeEntry(_ section: ListSection, _ items: [Item] = []) -> SectionEntry {
        lastSection += 1
        return SectionEntry(
            section: section, items: ChunkedList(items, maximumChunk: maximumChunk),
            number: lastSection)
    }

    /// Applies a batch.
    ///
    /// - Throws: ``ReplicaError``; the replica then is empty.
    package mutating func apply(_ batch: Batch) throws(ReplicaError) {
        do throws(ReplicaError) {
            guard let revision, revision == batch.from else {
                throw .wrongRevision(current: revision, from: batch.from)
            }
            guard batch.to > batch.from else {
                throw .wrongRevision(current: batch.to, from: batch.from)
            }
            for stage in batch.stages { try applyWithinLimit(stage) }
            try check(batch)
            self.revision = batch.to
        } catch {
            self = Replica(maximumChunk: maximumChunk, maximumBytes: maximumBytes)
            throw error
        }
    }

    /// Applies a stage of a batch that a copy has applied as a whole. ``finish(_:)`` must follow
    /// the last stage.
    package mutating func apply(tried stage: Stage) {
        // It fits, since a copy has applied it.
        try? apply(stage)
    }

    /// Advances to the revision of a batch whose stages were applied one by one.
    package mutating func finish(_ batch: Batch) {
        revision = batch.to
    }

    /// Drops the table of places, for a copy that looks up no ids: keeping it current takes time.
    package mutating func forgetPlaces() {
        places = nil
    }

    private mutating func applyWithinLimit(_ stage: Stage) throws(ReplicaError) {
        try apply(stage)
        guard byteCount <= maximumBytes else { throw .tooLarge }
    }

    /// Checks the content after a batch against the batch's counts.
    private func check(_ batch: Batch) throws(ReplicaError) {
        guard sections.count == batch.sections else {
            throw .wrongCount(expected: batch.sections, found: sections.count)
        }
        for count in batch.counts {
            let items = try items(in: count.section)
            guard items == count.items else {
                throw .wrongCount(expected: count.items, found: items)
            }
        }
    }

    // MARK: Reading

    /// How many sections there are.
    package var sectionCount: Int { sections.count }

    /// How many items there are.
    package var itemCount: Int {
        var total = 0
        sections.forEach { total += $0.items.count }
        return total
    }

    /// How many items a section has; none if there is no such section.
    package func itemCount(inSection index: Int) -> Int {
        index >= 0 && index < sections.count ? sections[index].items.count : 0
    }

    /// A section without its items, or `nil` if there is none of that index.
    package func section(at index: Int) -> ListSection? {
        index >= 0 && index < sections.count ? sections[index].section : nil
    }

    /// An item, or `nil` if there is none at that place.
    package func item(at path: ItemPath) -> Item? {
        guard path.section >= 0, path.section < sections.count else { return nil }
        let items = sections[path.section].items
        return path.item >= 0 && path.item < items.count ? items[path.item] : nil
    }

    /// The index of the section of that id. O(s).
    package func sectionIndex(of id: Identifier) -> Int? {
        var index = 0
        var found: Int?
        sections.forEach { entry in
            if entry.section.id == id { found = found ?? index }
            index += 1
        }
        return found
    }

    /// The items of a section; none if there is no such section.
    package func items(inSection index: Int) -> [Item] {
        index >= 0 && index < sections.count ? sections[index].items.elements : []
    }

    /// Calls `body` with every item, in order.
    package func forEachItem(_ body: (Item) -> Void) {
        sections.forEach { $0.items.forEach(body) }
    }

    /// Whether there is an item of that id. O(1), but O(n) for the first look-up after a snapshot,
    /// which builds the table of places.
    package mutating func contains(_ id: Identifier) -> Bool {
        place(of: id) != nil
    }

    /// Where the item of that id is, or `nil` if there is none. O(s + n/c + c) among s sections,
    /// but O(n) for the first look-up after a snapshot.
    package mutating func path(of id: Identifier) -> ItemPath? {
        guard let place = place(of: id) else { return nil }
        var section = 0
        var path: ItemPath?
        sections.forEach { entry in
            if entry.number == place.section {
                path = entry.items.index(inChunk: place.chunk) { $0.id == id }
                    .map { ItemPath(section: section, item: $0) }
            }
            section += 1
        }
        return path
    }

    private mutating func place(of id: Identifier) -> Place? {
        if let places { return places[id] }
        let places = findPlaces()
        self.places = places
        return places[id]
    }

    private func findPlaces() -> [Identifier: Place] {
        var places: [Identifier: Place] = [:]
        places.reserveCapacity(itemCount)
        sections.forEach { entry in
            entry.items.forEachPlace { item, chunk in
                places[item.id] = Place(section: entry.number, chunk: chunk)
            }
        }
        return places
    }

    /// The whole content; `nil` without a revision. O(n).
    package var snapshot: Snapshot? {
        guard let revision else { return nil }
        var states: [Snapshot.SectionState] = []
        states.reserveCapacity(sections.count)
        sections.forEach { entry in
            states.append(
                Snapshot.SectionState(section: entry.section, items: entry.items.elements))
        }
        return Snapshot(revision: revision, sections: states)
    }

    /// Checks the invariants; O(n), for tests.
    package func checkInvariants() {
        sections.checkInvariants()
        sections.forEach { $0.items.checkInvariants() }
        precondition(
            byteCount == (snapshot.map { MemoryBytes.of($0) } ?? 0),
            "the bytes are those of its things")
        precondition(places == nil || places == findPlaces(), "the places are those of the items")
    }
}

/// Why a batch does not fit a replica.
package enum ReplicaError: Error, Equatable, Sendable {
    /// It does not begin at the replica's revision, or does not end above it.
    case wrongRevision(current: Revision?, from: Revision)
    /// It names a section that is not there.
    case noSection(Int)
    /// It names an item that is not there.
    case noItem(ItemPath)
    /// Indices of sections do not ascend, or one is repeated.
    case unorderedSections
    /// Indices of items do not ascend, or one is repeated.
    case unorderedItems
    /// The item or section at a place is not the one that the batch names.
    case anotherThing(Identifier)
    /// The content after the batch does not have the count that the batch gives.
    case wrongCount(expected: Int, found: Int)
    /// The content exceeds the limit of bytes.
    case tooLarge
}
