package import SyncModel

/// A room as a client holds it: its sections and their items, in order, at one revision.
///
/// It begins without a revision, takes one from a snapshot, and goes on by batches.
///
/// Invariants:
/// 1. With a revision, it is exactly the room at that revision, as far as the server told the
///    truth.
/// 2. A batch that does not fit, whoever made it, is an error: the replica then has no revision and
///    holds nothing until a snapshot comes. It never traps on what came from outside.
///
/// # Performance
/// It is a value: a copy costs nothing until one of the two changes. A batch of k changes in a room
/// of n items costs O(k log k + n/c + kc) with chunks of c items, and never more than O(n + k log
/// k).
///
/// It knows where the things of which ids are only once it was asked for one.
package struct Replica: Sendable {
    struct SectionEntry: Sendable {
        var section: ListSection
        var items: ChunkedList<Item>
        /// Tells it from all other sections that the replica has or had.
        let number: Int
    }

    /// Where an item is, whatever comes and goes before it.
    struct Place: Equatable {
        var section: Int
        var chunk: Int
    }

    /// The revision that it holds; without one it holds nothing.
    package private(set) var revision: Revision?
    var sections: ChunkedList<SectionEntry>
    let maximumChunk: Int
    /// What it holds in bytes, and the most that batches may make of that.
    package internal(set) var heldBytes = 0
    let maximumBytes: Int
    /// Where the items of all ids are, once somebody has asked.
    var places: [Identifier: Place]?
    private var lastSection = 0

    /// - Parameter maximumChunk: tests make it small, so that every path runs.
    package init(maximumChunk: Int = 1024, maximumBytes: Int = .max) {
        self.maximumChunk = maximumChunk
        self.maximumBytes = maximumBytes
        sections = ChunkedList(maximumChunk: maximumChunk)
    }

    /// Holds what the snapshot says, whatever was there before.
    package mutating func load(_ snapshot: Snapshot) {
        let entries = snapshot.sections.map { makeEntry($0.section, $0.items) }
        sections = ChunkedList(entries, maximumChunk: maximumChunk)
        places = nil
        heldBytes = HeldBytes.of(snapshot)
        revision = snapshot.revision
    }

    mutating func makeEntry(_ section: ListSection, _ items: [Item] = []) -> SectionEntry {
        lastSection += 1
        return SectionEntry(
            section: section, items: ChunkedList(items, maximumChunk: maximumChunk),
            number: lastSection)
    }

    /// Goes on to the revision that the batch leads to.
    ///
    /// - Throws: ``ReplicaError``; the replica then holds nothing.
    package mutating func apply(_ batch: Batch) throws(ReplicaError) {
        do throws(ReplicaError) {
            guard let revision, revision == batch.from else {
                throw .wrongRevision(held: revision, from: batch.from)
            }
            guard batch.to > batch.from else {
                throw .wrongRevision(held: batch.to, from: batch.from)
            }
            for stage in batch.stages { try take(stage) }
            try check(batch)
            self.revision = batch.to
        } catch {
            self = Replica(maximumChunk: maximumChunk, maximumBytes: maximumBytes)
            throw error
        }
    }

    /// Takes a stage of a batch that a copy has taken whole, and ``finish(_:)`` follows its last
    /// one.
    package mutating func take(tried stage: Stage) {
        // What a copy has taken fits.
        try? apply(stage)
    }

    /// Goes on to the revision of a batch whose stages were taken one by one.
    package mutating func finish(_ batch: Batch) {
        revision = batch.to
    }

    /// Forgets where the items of which ids are, as a copy that is to find none needs not follow
    /// that.
    package mutating func forgetPlaces() {
        places = nil
    }

    private mutating func take(_ stage: Stage) throws(ReplicaError) {
        try apply(stage)
        guard heldBytes <= maximumBytes else { throw .tooLarge }
    }

    /// Checks that what is there afterwards is as much as the batch says.
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

    /// Whether there is an item of that id. O(1), but O(n) for the first id that is asked for after
    /// a snapshot: from then on it is known where all are.
    package mutating func contains(_ id: Identifier) -> Bool {
        place(of: id) != nil
    }

    /// Where the item of that id is, or `nil` if there is none. O(s + n/c + c) among s sections,
    /// but O(n) for the first one after a snapshot.
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

    /// All of it, or `nil` without a revision. O(n).
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

    /// Checks what it relies on; O(n), for tests.
    package func checkInvariants() {
        sections.checkInvariants()
        sections.forEach { $0.items.checkInvariants() }
        precondition(
            heldBytes == (snapshot.map { HeldBytes.of($0) } ?? 0),
            "the bytes are those of its things")
        precondition(places == nil || places == findPlaces(), "the places are those of the items")
    }
}

/// Why a batch does not fit what is held.
package enum ReplicaError: Error, Equatable, Sendable {
    /// It begins at another revision than the one held, or does not lead on.
    case wrongRevision(held: Revision?, from: Revision)
    /// It names a section that is not there.
    case noSection(Int)
    /// It names an item that is not there.
    case noItem(ItemPath)
    /// Indices of sections do not ascend, or one stands twice.
    case unorderedSections
    /// Indices of items do not ascend, or one stands twice.
    case unorderedItems
    /// What is at a place is not what the batch takes to be there.
    case anotherThing(Identifier)
    /// There is not as much afterwards as it says.
    case wrongCount(expected: Int, found: Int)
    /// The room would be larger than is to be held.
    case tooLarge
}
