import SyncBytes
package import SyncModel
import SyncTree

/// The order of a room's sections and items. The engine merges transactions that were made from
/// different revisions, and computes the batch between any two revisions.
///
/// The state is one structure: position nodes. A node is one thing at one place, from the revision
/// that it is born in to the one that it dies in. A dead node keeps its place and counts nothing,
/// until the horizon passes it. All section nodes stand in one sequence, and the item nodes of each
/// section in a sequence of their own. `Protocol/merge-rules.md` says what operations mean.
///
/// Invariants:
/// 1. At most one node of a thing lives, the one that was made last.
/// 2. A node counts in its sequence exactly while it lives.
/// 3. A node that died at or below the horizon is forgotten, and so is a content that was replaced
///    there: nothing depends on it, and its memory is swept in steps. Later ones are all present,
///    and in the journal.
/// 4. A transaction is applied whole or leaves no trace.
/// 5. The same transactions and horizons from the same state give the same state.
///
/// # Performance
/// An operation is O(log n). The first operation at a place also walks over the nodes that others
/// put there since its base; later ones do not. The first index from an older base costs O(k log n)
/// for the k nodes touched since. A batch is O(k log n) too. ``stepsTaken`` counts all work.
///
/// It does no input or output and reads no clock. Its caller decides who may do what and when the
/// horizon advances, makes commits durable, and recognizes repeated transactions.
package final class Engine {
    let tree = OrderTree()
    let nodes: Slab<NodeRecord>
    let things: Slab<ThingRecord>
    let versions: Slab<VersionRecord>
    let blobs: BlobStore
    /// Whether record numbers or content references are running out.
    let fill = FillGauge()
    let itemTable = IdentifierTable()
    let sectionTable = IdentifierTable()
    @exclusivity(unchecked) var journal: Journal
    @exclusivity(unchecked) var authors = AuthorTable()
    /// The section that was looked up last; 0 if there was none.
    @exclusivity(unchecked) private var lastSection: ThingID = 0
    /// The origin of a node whose own origin is forgotten, in an engine that is read from an image.
    /// It is in no sequence.
    let forgottenNode: NodeID
    /// The sequence of the sections' nodes.
    let sectionSequence: OrderTree.SequenceID
    /// By sequence: the section whose items stand there.
    @exclusivity(unchecked) var sectionOfSequence: [ThingID] = [0, 0]
    /// By sequence: how many nodes, dead or alive, the section has in the incarnation that the
    /// sequence belongs to.
    @exclusivity(unchecked) var sectionNodeCounts: [UInt32] = [0, 0]

    /// The number of transactions committed.
    @exclusivity(unchecked) package internal(set) var revision: Revision
    /// The oldest revision that can still be read.
    @exclusivity(unchecked) package internal(set) var horizon: Revision
    /// How many dead nodes are not swept yet.
    @exclusivity(unchecked) package internal(set) var deadNodeCount = 0

    /// The work done since the engine was made, in steps. Refused transactions and sweeping count
    /// too.
    package var stepsTaken: Int { stepCount }
    // Other modules read it through `stepsTaken`: in a stored property of another module, Swift
    // would check each read for overlapping accesses.
    @exclusivity(unchecked) var stepCount = 0

    /// How many bytes are retained for earlier revisions only: contents that were replaced, and
    /// what was deleted or moved away.
    @exclusivity(unchecked) package internal(set) var retainedBytes = 0

    /// The transaction that is being applied.
    @exclusivity(unchecked) var draft = Draft()
    @exclusivity(unchecked) var rollback = RollbackLog()
    @exclusivity(unchecked) var scratch = ByteWriter()
    /// The update that stands in for an increment.
    @exclusivity(unchecked) var incrementPatch = ByteWriter()
    @exclusivity(unchecked) var expected = ExpectedReads()
    /// Sequences as they were at the bases of recent transactions.
    @exclusivity(unchecked) var formerSequences: [FormerSequence] = []
    @exclusivity(unchecked) var nextFormerSequence = 0
    /// What the transaction ``additionsTransaction`` has put into each sequence since it deleted
    /// the section (``Draft/deletedSequences``).
    @exclusivity(unchecked) var sequenceAdditions: [OrderTree.SequenceID: FormerSequence] = [:]
    @exclusivity(unchecked) var additionsTransaction = 0
    /// Long walks of recent transactions.
    @exclusivity(unchecked) var walks = WalkMemory()

    static let formerSequenceLimit = 32

    /// The most bytes that the content of one item or section may have, whatever a server's own
    /// limits are.
    package static let maximumContentBytes = 8 << 20

    /// The section that a new room has.
    package static let firstSection = "main"

    /// Makes an engine without sections, at a revision: a new room and an image start from it.
    init(emptyAt revision: Revision, horizon: Revision) {
        self.revision = revision
        self.horizon = horizon
        nodes = Slab(none: .none, fill)
        things = Slab(none: ThingRecord.none, fill)
        versions = Slab(none: .none, fill)
        blobs = BlobStore(fill)
        journal = Journal(horizon: horizon)
        sectionSequence = tree.makeSequence()
        forgottenNode = nodes.make(.none)
    }

    /// Makes a new room: revision 0, one section named `main`.
    package convenience init() {
        self.init(emptyAt: 0, horizon: 0)
        let section = Engine.firstSection.withBytes {
            makeSectionThing($0, UnsafeRawBufferPointer(start: nil, count: 0))
        }
        let node = nodes.make(
            NodeRecord(
                born: 0, thing: section, sequence: things[section].sequence, origin: 0, previous: 0,
                author: 0, incarnation: 1))
        things[section].node = node
        sectionNodeCounts[Int(things[section].sequence)] = 1
        tree.insert(node, after: 0, in: sectionSequence)
        rollback.clear()
    }

    /// The author with this client id; it is added if it is new.
    package func author(_ id: Identifier) -> Author {
        authors.author(id) ?? authors.enter(id)
    }

    /// The author with this client id; `nil` if the room has none.
    package func knownAuthor(_ id: Identifier) -> Author? {
        authors.author(id)
    }

    /// The client id of an author; `nil` if the room has forgotten the author.
    package func id(of author: Author) -> Identifier? {
        authors.id(of: author)
    }

    /// All authors, in the order of their slots.
    package var allAuthors: [Author] {
        authors.entries.enumerated().compactMap { slot, entry in
            entry.id == nil ? nil : Author(slot: UInt32(slot), number: entry.number)
        }
    }

    /// How many authors there are.
    package var authorCount: Int { authors.count }
    /// Whether another author may be added. Each uses up a number that is never used again.
    package var canAddAuthor: Bool { authors.hasNumber }

    /// Withdraws the author that was added last. None of its transactions may have been applied.
    package func forget(_ author: Author) {
        authors.withdraw(author)
    }

    /// Evicts an author. What it made is nobody's from now on: if the client comes back, it is
    /// another author.
    package func evict(_ author: Author) {
        authors.evict(author)
    }

    /// An author's slot and number in the room's table. With them a transaction need not look up
    /// its author's name.
    @usableFromInline
    package struct Author: Sendable, Hashable {
        /// Another author may have it once this one is evicted.
        @usableFromInline package let slot: UInt32
        @usableFromInline let number: AuthorID

        @inlinable
        package static func == (left: Author, right: Author) -> Bool {
            left.slot == right.slot && left.number == right.number
        }
    }

    // MARK: Questions

    /// How many sections live.
    package var sectionCount: Int { tree.liveCount(sectionSequence) }

    /// How many items the section at an index has; `nil` if there is no such section.
    package func itemCount(inSection index: Int) -> Int? {
        sequence(ofSectionAt: index).map { tree.liveCount($0) }
    }

    /// How many items live in the room.
    package var itemCount: Int {
        nodes.count - 1 - deadNodeCount - sectionCount
    }

    /// How many nodes there are, of items and sections, live and dead.
    package var nodeCount: Int { nodes.count - 1 }

    /// What may be done with an item; `nil` if it does not live.
    package func flags(ofItem id: Identifier) -> ItemFlags? {
        let thing = id.withBytes { findItem($0) }
        guard thing != 0, isAlive(thing) else { return nil }
        return ItemFlags.all.subtracting(ItemFlags(rawValue: blobs.tag(things[thing].body)))
    }

    /// Where an item is; `nil` if it does not live. O(log n).
    package func path(ofItem id: Identifier) -> ItemPath? {
        let thing = id.withBytes { findItem($0) }
        guard thing != 0, isAlive(thing) else { return nil }
        let node = things[thing].node
        let section = things[sectionOfSequence[Int(nodes[node].sequence)]].node
        return ItemPath(section: tree.rank(section), item: tree.rank(node))
    }

    /// The item at a place; `nil` if there is none. O(log n).
    package func item(at path: ItemPath) -> Item? {
        guard let sequence = sequence(ofSectionAt: path.section) else { return nil }
        let node = tree.select(path.item, in: sequence)
        return node == 0 ? nil : item(things[nodes[node].thing].body)
    }

    func sequence(ofSectionAt index: Int) -> OrderTree.SequenceID? {
        let node = tree.select(index, in: sectionSequence)
        return node == 0 ? nil : nodes[node].sequence
    }

    func item(_ body: BlobStore.Reference) -> Item {
        let body = Body(blobs.bytes(body))
        return Item(id: Identifier(trusted: body.id), content: ItemContent(trusted: body.content))
    }

    func section(_ body: BlobStore.Reference) -> ListSection {
        let body = Body(blobs.bytes(body))
        return ListSection(
            id: Identifier(trusted: body.id), content: SectionContent(trusted: body.content))
    }

    @inline(__always)
    func isAlive(_ thing: ThingID) -> Bool {
        things[thing].isAlive
    }

    // MARK: Ids

    func id(of thing: ThingID) -> Identifier {
        Identifier(trusted: Body(blobs.bytes(things[thing].body)).id)
    }

    /// Lends the bytes of a thing's id.
    @inline(__always)
    func id<Result>(
        ofThing thing: ThingID, _ body: (UnsafeRawBufferPointer) -> Result
    ) -> Result {
        body(Body(blobs.bytes(things[thing].body)).id)
    }

    /// The table that a thing's id is entered in, and the hash there.
    @inline(__always)
    func hash(ofThing thing: ThingID) -> (hash: UInt32, table: IdentifierTable) {
        let table = things[thing].isSection ? sectionTable : itemTable
        return (id(ofThing: thing) { table.hash($0) }, table)
    }

    func findItem(_ id: UnsafeRawBufferPointer) -> ThingID {
        // The guess may be stale: it is right if it is an item with this id.
        if let guess = passExpected(), !things[guess].isSection, isThing(guess, id) {
            return guess
        }
        return find(id, in: itemTable)
    }

    /// The same for what is no operation: what queued operations are expected to read stays.
    func lookUpItem(_ id: UnsafeRawBufferPointer) -> ThingID { find(id, in: itemTable) }

    func findSection(_ id: UnsafeRawBufferPointer) -> ThingID {
        // Most operations name the same section as the one before.
        if things[lastSection].isSection, isThing(lastSection, id) { return lastSection }
        lastSection = find(id, in: sectionTable)
        return lastSection
    }

    @inline(__always)
    private func find(_ id: UnsafeRawBufferPointer, in table: IdentifierTable) -> ThingID {
        table.find(table.hash(id)) { isThing($0, id) }
    }

    /// Whether a thing has an id, and is not forgotten.
    @inline(__always)
    private func isThing(_ thing: ThingID, _ id: UnsafeRawBufferPointer) -> Bool {
        blobs.isBody(things[thing].body, of: id) && !isForgotten(thing: thing)
    }

    /// Adds an item under an unknown id, in its first incarnation.
    func makeItemThing(
        _ id: UnsafeRawBufferPointer, _ content: UnsafeRawBufferPointer
    ) -> ThingID {
        let thing = enterThing(
            id, content: content, disabled: ContentEditor.disabledItemFlags(content), sequence: 0)
        rollback.append(.thingMade(thing))
        return thing
    }

    /// Adds a section under an unknown id, in its first incarnation.
    func makeSectionThing(
        _ id: UnsafeRawBufferPointer, _ content: UnsafeRawBufferPointer
    ) -> ThingID {
        let thing = enterThing(
            id, content: content, disabled: ContentEditor.disabledSectionFlags(content),
            sequence: makeItemSequence())
        rollback.append(.thingMade(thing))
        return thing
    }

    private func enterThing(
        _ id: UnsafeRawBufferPointer, content: UnsafeRawBufferPointer, disabled: UInt8,
        sequence: OrderTree.SequenceID
    ) -> ThingID {
        spend(1 + Engine.steps(forBytes: content.count))
        let body = blobs.makeBody(id: id, content: content, tag: disabled)
        let number = things.number(after: 0)
        let generation = number < things.end ? things[number].generation &+ 1 : 0
        var record = ThingRecord(body: body, sequence: sequence, generation: generation)
        record.beginIncarnation(in: draft.revision, by: draft.author)
        let thing = things.make(record)
        if sequence != 0 { sectionOfSequence[Int(sequence)] = thing }
        // Two calls, since Swift would retain a table that is chosen at run time. That is an atomic
        // instruction, and it waits for all the writes just before.
        if sequence != 0 {
            sectionTable.insert(thing, hash: sectionTable.hash(id))
        } else {
            itemTable.insert(thing, hash: itemTable.hash(id))
        }
        return thing
    }

    /// Forgets a thing that has no node left.
    func removeThing(_ thing: ThingID) {
        let record = things[thing]
        if record.isSection {
            sectionTable.remove(thing, hash: id(ofThing: thing) { sectionTable.hash($0) })
        } else {
            itemTable.remove(thing, hash: id(ofThing: thing) { itemTable.hash($0) })
        }
        blobs.remove(record.body)
        things.remove(thing, leaving: .none(generation: record.generation))
    }

    func makeItemSequence() -> OrderTree.SequenceID {
        let sequence = tree.makeSequence()
        while sectionOfSequence.count <= Int(sequence) {
            sectionOfSequence.append(0)
            sectionNodeCounts.append(0)
        }
        sectionNodeCounts[Int(sequence)] = 0
        return sequence
    }
}
