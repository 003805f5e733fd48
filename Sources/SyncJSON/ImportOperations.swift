package import SyncModel

/// The operations that import a snapshot's sections and items into a room, in transactions of
/// bounded size.
///
/// Everything goes to the end of the room or of its section, in the order of the snapshot, so that
/// nothing depends on concurrent edits. Items that the room already has stay as they are: their
/// inserts have no effect.
package struct ImportOperations: Sendable {
    /// A section that every new room has.
    private static let firstSection: Identifier = "main"

    private let append: Bool
    private let byteLimit: Int
    private let operationLimit: Int

    private var section: Identifier?
    private var hasFirstSection = false
    private var operations: [ListOperation] = []
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

    /// Adds the next part of the snapshot.
    ///
    /// - Returns: the transactions that are complete with it.
    package mutating func add(_ part: SnapshotReader.Part) throws(ModelError) -> [[ListOperation]] {
        var whole: [[ListOperation]] = []
        switch part {
        case .section(let section):
            self.section = section.id
            add(section)
        case .item(let item):
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
    package mutating func finish() -> [[ListOperation]] {
        if !append, !hasFirstSection {
            add(.deleteSection(ImportOperations.firstSection), bytes: 0)
        }
        var whole: [[ListOperation]] = []
        take(into: &whole)
        return whole
    }

    /// Inserts a section. The one that every new room has is moved to its place instead.
    private mutating func add(_ section: ListSection) {
        let bytes = section.content.bytes.count + 128
        guard !append, section.id == ImportOperations.firstSection else {
            return add(.insertSection(section, to: Placement()), bytes: bytes)
        }
        hasFirstSection = true
        add(.moveSection(section.id, to: Placement()), bytes: 64)
        let content = section.content
        var flags = FlagChanges<SectionFlags>()
        if content.flags != .all { flags = FlagChanges(changed: .all, enabled: content.flags) }
        let patch = SectionPatch(
            set: content.fields, supplementaries: content.supplementaries, flags: flags)
        if patch != SectionPatch() { add(.updateSection(section.id, patch), bytes: bytes) }
    }

    private mutating func add(_ operation: ListOperation, bytes: Int) {
        operations.append(operation)
        byteCount += bytes
    }

    private mutating func take(into whole: inout [[ListOperation]]) {
        guard !operations.isEmpty else { return }
        whole.append(operations)
        operations = []
        byteCount = 0
    }
}

/// How many items an import has inserted, and how many were there already.
package struct ImportCount: Sendable, Equatable {
    package private(set) var inserted = 0
    package private(set) var skipped = 0
    /// For each transaction in flight: which of its operations insert items.
    private var inFlight: [UInt64: [Bool]] = [:]

    package init() {}

    /// How many transactions are not answered yet.
    package var unanswered: Int { inFlight.count }

    /// - Parameter areItems: which of its operations insert items.
    package mutating func didSend(_ number: UInt64, _ areItems: [Bool]) {
        inFlight[number] = areItems
    }

    /// Which of some operations insert items.
    package static func areItems(in operations: [ListOperation]) -> [Bool] {
        operations.map { if case .insert = $0 { true } else { false } }
    }

    /// A transaction is committed, but for the effect of some operations.
    ///
    /// - Returns: how many items it has inserted.
    @discardableResult
    package mutating func didCommit(_ number: UInt64, without superseded: [Superseded]) -> Int {
        guard let areItems = inFlight.removeValue(forKey: number) else { return 0 }
        let lost = superseded.count { lost in
            lost.operation < areItems.count && areItems[lost.operation]
        }
        let items = areItems.count { $0 } - lost
        inserted += items
        skipped += lost
        return items
    }

    package mutating func didReject(_ number: UInt64) {
        inFlight[number] = nil
    }
}
