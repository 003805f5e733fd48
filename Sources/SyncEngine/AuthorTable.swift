import SyncModel

/// The authors of a room, and the last base that each has used.
///
/// An author has a slot and a number. After it is evicted, its slot goes to another author. Its
/// number is never used again: nodes name their author by number, and what one author made must not
/// pass for another's.
///
/// Invariant: slots and numbers follow from the order in which authors were added and evicted, so a
/// replayed room has the same ones.
struct AuthorTable: ~Copyable {
    struct Entry {
        /// `nil` while the slot is free.
        var id: Identifier?
        var number: AuthorID
    }

    /// By slot.
    private(set) var entries: [Entry] = []
    /// By slot.
    private var lastBases = Stack<Revision>()
    /// Free slots; the last one is used next.
    private(set) var freeSlots: [UInt32] = []
    /// The next author's number; 0 is nobody's.
    private(set) var nextNumber: AuthorID = 1
    /// From an author's id to its slot, which counts from 1 there.
    private let slots = IdentifierTable()
    /// Whether the author that was added last has a slot that was freed.
    private var hasReusedSlot = false
    private var idBytes = 0

    /// Numbers stay below this bit, which is beside them in a thing's `deletion`.
    static let maximumNumber = AuthorID(ThingRecord.sectionDeletion) - 1

    /// How many authors there are.
    var count: Int { entries.count - freeSlots.count }

    /// Whether there is a number for another author.
    var hasNumber: Bool { nextNumber < AuthorTable.maximumNumber }

    /// The memory it takes.
    var byteCount: Int {
        lastBases.byteCount + entries.capacity * MemoryLayout<Entry>.stride + slots.byteCount
            + freeSlots.capacity * MemoryLayout<UInt32>.stride + idBytes
    }

    func author(_ id: Identifier) -> Engine.Author? {
        let found = slots.find(id.withBytes { slots.hash($0) }) { entries[Int($0) - 1].id == id }
        if found == 0 { return nil }
        return Engine.Author(slot: found - 1, number: entries[Int(found) - 1].number)
    }

    private mutating func enter(_ id: Identifier, in slot: UInt32) {
        slots.insert(slot + 1, hash: id.withBytes { slots.hash($0) })
        idBytes += AuthorTable.bytes(of: id)
    }

    /// Whether an author still has its slot.
    @inline(__always)
    func has(_ author: Engine.Author) -> Bool {
        author.slot < entries.count && entries[Int(author.slot)].number == author.number
    }

    func id(of author: Engine.Author) -> Identifier? {
        has(author) ? entries[Int(author.slot)].id : nil
    }

    /// Adds an author that is not there.
    mutating func enter(_ id: Identifier) -> Engine.Author {
        precondition(hasNumber && author(id) == nil, "an author is entered once, with a number")
        let entry = Entry(id: id, number: nextNumber)
        let slot = freeSlots.popLast()
        hasReusedSlot = slot != nil
        if let slot {
            entries[Int(slot)] = entry
            lastBases[Int(slot)] = 0
        } else {
            entries.append(entry)
            lastBases.append(0)
        }
        let author = Engine.Author(slot: slot ?? UInt32(entries.count - 1), number: nextNumber)
        nextNumber += 1
        enter(id, in: author.slot)
        return author
    }

    /// Withdraws the author that was added last, as if it had never been there.
    mutating func withdraw(_ author: Engine.Author) {
        precondition(has(author) && author.number == nextNumber - 1, "only the last is withdrawn")
        release(author)
        nextNumber -= 1
        if hasReusedSlot {
            freeSlots.append(author.slot)
        } else {
            entries.removeLast()
            _ = lastBases.popLast()
        }
    }

    /// Evicts an author. Another one may get its slot.
    mutating func evict(_ author: Engine.Author) {
        precondition(has(author), "an author is evicted once")
        release(author)
        freeSlots.append(author.slot)
    }

    private mutating func release(_ author: Engine.Author) {
        guard let id = entries[Int(author.slot)].id else { return }
        slots.remove(author.slot + 1, hash: id.withBytes { slots.hash($0) })
        idBytes -= AuthorTable.bytes(of: id)
        entries[Int(author.slot)] = Entry(id: nil, number: 0)
    }

    /// Restores the authors that an image has.
    ///
    /// - Returns: `false` if they contradict each other.
    mutating func restore(
        _ restored: [(entry: Entry, lastBase: Revision)], freeSlots free: [UInt32],
        nextNumber next: AuthorID
    ) -> Bool {
        var numbers: Set<AuthorID> = []
        for (slot, (entry, lastBase)) in restored.enumerated() {
            entries.append(entry)
            lastBases.append(lastBase)
            guard let id = entry.id else { continue }
            guard entry.number > 0, entry.number < next, numbers.insert(entry.number).inserted,
                author(id) == nil
            else { return false }
            enter(id, in: UInt32(slot))
        }
        (freeSlots, nextNumber) = (free, next)
        return next > 0 && next <= AuthorTable.maximumNumber
            && Set(free).count == free.count && free.count + numbers.count == entries.count
            && free.allSatisfy { $0 < entries.count && entries[Int($0)].id == nil }
    }

    subscript(lastBase slot: UInt32) -> Revision {
        @inline(__always) get { lastBases[Int(slot)] }
        @inline(__always) set { lastBases[Int(slot)] = newValue }
    }

    /// The memory of a name outside its record. Text of up to 15 bytes lies in the record.
    private static func bytes(of id: Identifier) -> Int {
        id.text.utf8.count > 15 ? id.text.utf8.count + 32 : 0
    }
}
