import CollSync
import SyncClient
import SyncJSON
import SyncModel
import SyncTerminal
import SyncWire

/// Imports a snapshot's sections and items into a room. It reads them piece by piece and sends
/// transactions, of which a few are in flight at a time. So a million items need no more memory
/// than a thousand.
///
/// Everything goes to the end of the room or of its section, in the order of the file, so that
/// nothing depends on concurrent edits. Items that the room already has stay as they are and are
/// counted.
final class Importer {
    /// A section that every new room has.
    private static let firstSection = "main"
    private static let operationsPerTransaction = 1_000
    private static let maximumInFlight = 16

    private let room: CollectionRoom
    private let inbox: EventInbox<RoomEvent>
    private let append: Bool
    private let limitBytes: Int
    private let limitOperations: Int

    private var operations: [ListOperation] = []
    private var operationBytes = 0
    private var section: Identifier?
    private var hasFirstSection = false
    /// For each transaction in flight: which of its operations insert items.
    private var inFlight: [UInt64: [Bool]] = [:]
    private var importedItems = 0
    private var skippedItems = 0
    private var ending: Failure?
    private var hasEnded = false
    private let progress = Progress()

    /// Joins the room.
    ///
    /// - Throws: if the room has items or other sections, and `append` is `false`.
    init(client: CollectionClient, room name: String, append: Bool) async throws {
        var options = Membership.Options()
        options.keepsItems = false
        do {
            let stats = try await client.stats(of: name)
            let (items, sections) = (stats.figures[.items] ?? 0, stats.figures[.sections] ?? 0)
            guard append || items == 0 && sections <= 1 else {
                throw Failure(
                    "\(name) has \(counted(Int(items), "item")) in \(counted(Int(sections), "section")) already; "
                        + "--append adds to them", exitCode: Failure.badData, code: "notEmpty")
            }
            options.from = stats.revision
            options.origin = stats.origin
        } catch let error as CollectionError where error.code == "roomNotFound" {
            // Joining creates the room.
        }
        room = try await client.join(name, options)
        inbox = room.inbox(pausing: .always)
        self.append = append
        limitBytes = min(1 << 20, client.limits.transactionBytes / 2)
        limitOperations = min(
            Importer.operationsPerTransaction, max(1, client.limits.transactionOperations))
    }

    /// Reads the file and sends its sections and items.
    ///
    /// - Returns: a summary for people.
    func run(_ file: SnapshotFile) async throws -> String {
        do {
            try await file.forEachPart { try await add($0) }
            if !append, !hasFirstSection {
                add(.deleteSection(try Identifier(Importer.firstSection)), bytes: 0)
            }
            try await sendOperations()
            while !inFlight.isEmpty { try await takeAnswers() }
        } catch {
            await settle()
            progress.end()
            throw Failure(
                "\(message(of: error)) (\(summary) before that)",
                exitCode: exitCode(of: error))
        }
        progress.end()
        guard append || skippedItems == 0 else {
            throw Failure(
                "\(summary): the file has an id twice, or somebody else has made it",
                exitCode: Failure.badData, code: "repeated")
        }
        return summary
    }

    /// Waits for transactions in flight, so that the summary is true. If the room has ended or the
    /// task is cancelled, no more answers come.
    private func settle() async {
        while !inFlight.isEmpty, !hasEnded, let events = try? await inbox.takeAll() {
            for event in events { take(event) }
        }
    }

    private var summary: String {
        let skipped = skippedItems == 1 ? "1 was" : "\(skippedItems) were"
        return "\(counted(importedItems, "item")) imported"
            + (skippedItems > 0 ? ", \(skipped) there already" : "")
    }

    private func message(of error: any Error) -> String {
        (error as? Failure)?.message ?? (error as? CollectionError)?.message ?? "\(error)"
    }

    private func exitCode(of error: any Error) -> Int32 {
        (error as? Failure)?.exitCode
            ?? (error as? CollectionError).map { Failure.exitCode(of: $0) } ?? Failure.badData
    }

    // MARK: Reading

    private func add(_ part: SnapshotReader.Part) async throws {
        switch part {
        case .section(let section):
            self.section = section.id
            add(section)
        case .item(let item):
            // The reader returns a section before its items.
            guard let section else { return }
            let bytes = item.content.bytes.count + item.id.text.utf8.count + 64
            if operationBytes + bytes > limitBytes { try await sendOperations() }
            add(.insert(item, to: Placement(section: section)), bytes: bytes)
        }
        if operations.count >= limitOperations || operationBytes >= limitBytes {
            try await sendOperations()
        }
    }

    /// Inserts a section. The one that every new room has is moved to its place instead.
    private func add(_ section: ListSection) {
        let bytes = section.content.bytes.count + 128
        guard !append, section.id.text == Importer.firstSection else {
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

    private func add(_ operation: ListOperation, bytes: Int) {
        operations.append(operation)
        operationBytes += bytes
    }

    // MARK: Sending

    private func sendOperations() async throws {
        guard !operations.isEmpty else { return }
        while inFlight.count >= Importer.maximumInFlight { try await takeAnswers() }
        let areItems = operations.map { operation in
            if case .insert = operation { true } else { false }
        }
        let number = try await room.send(operations)
        inFlight[number] = areItems
        operations.removeAll(keepingCapacity: true)
        operationBytes = 0
    }

    /// Waits for answers and handles them.
    private func takeAnswers() async throws {
        guard let events = try await inbox.takeAll() else { throw Failure.interrupted }
        for event in events { take(event) }
        progress.show()
        if let ending { throw ending }
    }

    private func take(_ event: RoomEvent) {
        switch event {
        case .acknowledged(let number, let commit):
            guard let areItems = inFlight.removeValue(forKey: number) else { return }
            let lost = commit.superseded.count { lost in
                lost.operation < areItems.count && areItems[lost.operation]
            }
            let items = areItems.count { $0 } - lost
            importedItems += items
            skippedItems += lost
            progress.add(items)
        case .rejected(let number, let rejection):
            inFlight[number] = nil
            let code = rejection.code == .notAllowed ? Failure.notAllowed : Failure.badData
            ending = ending ?? Failure(rejection.message, exitCode: code)
        case .ended(let error):
            hasEnded = true
            ending = ending ?? Failure(error)
        case .interrupted(let error, _): Terminal.say("warning: \(error.message)")
        case .nearLimit(let use): Terminal.say("warning: " + PlainText.describe(use))
        case .joined, .snapshot, .authors, .batch: break
        }
    }
}
