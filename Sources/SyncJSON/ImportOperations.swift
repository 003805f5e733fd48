import SyncModel

/// The operations that import a snapshot's sections and items into a room, in transactions of
/// bounded size.
///
/// Everything goes to the end of the room or of its section, in the order of the snapshot, so that
/// nothing depends on concurrent edits. Items and sections that the room already has stay as they
/// are: their inserts have no effect.
package struct ImportOperations: Sendable {
    /// A section that every new room has.
    private static let firstSection: Identifier = "main"

    private let append: Bool
    private let byteLimit: Int
    private let operationLimit: Int

    private var section: Identifier?
    private var hasFirstSection = false
    private let sectionIDs = SeenIDs()
    private let itemIDs = SeenIDs()
    private var operations: [ListOperation] = []
    private var places: [SnapshotReader.Place?] = []
    /// Of the part that operations are made of.
    private var place: SnapshotReader.Place?
    private var byteCount = 0

    /// - Parameters:
    ///   - append: whether the room has something already. If not, the section of a new room
    ///     becomes the snapshot's section of this name, or is deleted.
    ///   - transactionBytes: the most bytes of a transaction.
    ///   - transactionOperations: the most operations of one.
    package init(append: Bool, transactionBytes: Int, transactionOperations: Int) {
        self.append = append
        byteLimit = min(ImportOperations.usualBytes, transactionBytes / 2)
        operationLimit = min(ImportOperations.usualCount, max(1, transactionOperations))
    }

    /// A transaction has no more operations than these, and little more bytes.
    private static let usualCount = 1_000
    private static let usualBytes = 1 << 20

    /// How many bytes it takes to know the ids that were there.
    package var keptBytes: Int { sectionIDs.byteCount + itemIDs.byteCount }

    /// Adds the next part of a snapshot.
    ///
    /// - Parameter place: the part's.
    /// - Returns: the transactions that are complete with it.
    package mutating func add(
        _ part: SnapshotReader.Part, at place: SnapshotReader.Place
    ) throws(RepeatedID) -> [ImportStep] {
        self.place = place
        var whole: [ImportStep] = []
        switch part {
        case .section(let section):
            guard sectionIDs.insert(section.id) else { throw RepeatedID(place: place) }
            self.section = section.id
            add(section)
        case .wholeSection(let section):
            guard let update = ImportOperations.update(of: section) else { break }
            if append {
                // The room may have had the section, which then stays as it is.
                take(into: &whole)
                whole.append(ImportStep([update], places: [place], of: section.id))
            } else {
                add(update, bytes: ImportOperations.bytes(of: section))
            }
        case .item(let item):
            guard itemIDs.insert(item.id) else { throw RepeatedID(place: place) }
            // The reader returns a section before its items.
            guard let section else { return [] }
            let bytes = item.content.bytes.count + item.id.text.utf8.count + 64
            if byteCount + bytes > byteLimit { take(into: &whole) }
            add(.insert(item, to: Placement(section: section)), bytes: bytes)
        }
        if operations.count >= operationLimit || byteCount >= byteLimit { take(into: &whole) }
        return whole
    }

    /// The last transaction, when the snapshot has ended.
    package mutating func finish() -> [ImportStep] {
        place = nil
        if !append, !hasFirstSection {
            add(.deleteSection(ImportOperations.firstSection), bytes: 0)
        }
        var whole: [ImportStep] = []
        take(into: &whole)
        return whole
    }

    /// Inserts a section. The one that every new room has is moved to its place instead.
    private mutating func add(_ section: ListSection) {
        let bytes = ImportOperations.bytes(of: section)
        guard !append, section.id == ImportOperations.firstSection else {
            return add(.insertSection(section, to: Placement()), bytes: bytes)
        }
        hasFirstSection = true
        add(.moveSection(section.id, to: Placement()), bytes: 64)
        if let update = ImportOperations.update(of: section) { add(update, bytes: bytes) }
    }

    /// What gives a section all that it has beside its items; `nil` if it has nothing.
    private static func update(of section: ListSection) -> ListOperation? {
        let content = section.content
        var flags = FlagChanges<SectionFlags>()
        if content.flags != .all { flags = FlagChanges(changed: .all, enabled: content.flags) }
        let patch = SectionPatch(
            set: content.fields, supplementaries: content.supplementaries, flags: flags)
        return patch == SectionPatch() ? nil : .updateSection(section.id, patch)
    }

    private static func bytes(of section: ListSection) -> Int {
        section.content.bytes.count + 128
    }

    private mutating func add(_ operation: ListOperation, bytes: Int) {
        operations.append(operation)
        places.append(place)
        byteCount += bytes
    }

    private mutating func take(into whole: inout [ImportStep]) {
        guard !operations.isEmpty else { return }
        whole.append(ImportStep(operations, places: places))
        (operations, places) = ([], [])
        byteCount = 0
    }
}

/// The ids that were there, as hashes: nobody can foresee whose are the same, and of ten million
/// ids two have the same once in 400,000 times.
///
/// It is shared by copies of its import, so that a copy costs nothing. Only one of them goes on.
private final class SeenIDs: @unchecked Sendable {
    // Sendable: whoever has the import uses it alone, as a value that is passed on.
    private var hashes: Set<Int> = []

    /// A set has a third more room than its capacity.
    var byteCount: Int { hashes.capacity * 11 }

    /// - Returns: `false` if the id was there.
    func insert(_ id: Identifier) -> Bool { hashes.insert(id.hashValue).inserted }
}

/// An id that an item or a section before has, too.
package struct RepeatedID: Error, Equatable, CustomStringConvertible {
    package let place: SnapshotReader.Place

    package var description: String { "\(place).id: this id was there before" }
}
