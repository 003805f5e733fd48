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
/// Where a thing stands is its business; it finds nothing by id, and knows which ids there are only once
/// it was asked for one.
package struct Replica: Sendable {
    struct SectionEntry: Sendable {
        var section: ListSection
        var items: ChunkedList<Item>
    }

    /// The revision that it holds; without one it holds nothing.
    package private(set) var revision: Revision?
    var sections: ChunkedList<SectionEntry>
    let maximumChunk: Int
    /// What it holds in bytes, and the most that batches may make of that.
    package internal(set) var heldBytes = 0
    let maximumBytes: Int
    /// The ids of all items, once somebody has asked.
    var ids: Set<Identifier>?

    /// - Parameter maximumChunk: tests make it small, so that every path runs.
    package init(maximumChunk: Int = 1024, maximumBytes: Int = .max) {
        self.maximumChunk = maximumChunk
        self.maximumBytes = maximumBytes
        sections = ChunkedList(maximumChunk: maximumChunk)
    }

    /// Holds what the snapshot says, whatever was there before.
    package mutating func load(_ snapshot: Snapshot) {
        let entries = snapshot.sections.map { state in
            SectionEntry(
                section: state.section,
                items: ChunkedList(state.items, maximumChunk: maximumChunk))
        }
        sections = ChunkedList(entries, maximumChunk: maximumChunk)
        ids = nil
        heldBytes = HeldBytes.of(snapshot)
        revision = snapshot.revision
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
            for stage in batch.stages {
                try apply(stage)
                guard heldBytes <= maximumBytes else { throw .tooLarge }
            }
            try check(batch)
            self.revision = batch.to
        } catch {
            self = Replica(maximumChunk: maximumChunk, maximumBytes: maximumBytes)
            throw error
        }
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

    /// Calls `body` with every item, in order.
    package func forEachItem(_ body: (Item) -> Void) {
        sections.forEach { $0.items.forEach(body) }
    }

    /// Whether there is an item of that id. O(1), but O(n) for the first one after a snapshot: from then
    /// on the ids are kept.
    package mutating func contains(_ id: Identifier) -> Bool {
        if let ids { return ids.contains(id) }
        let found = collectIDs()
        ids = found
        return found.contains(id)
    }

    private func collectIDs() -> Set<Identifier> {
        var ids: Set<Identifier> = []
        ids.reserveCapacity(itemCount)
        forEachItem { ids.insert($0.id) }
        return ids
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
        precondition(ids == nil || ids == collectIDs(), "the ids are those of the items")
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
