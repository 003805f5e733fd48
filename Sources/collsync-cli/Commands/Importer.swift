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
/// Items that the room already has stay as they are and are counted; ``ImportOperations`` says how.
final class Importer {
    private static let maximumInFlight = 16

    private let room: CollectionRoom
    private let inbox: EventInbox<RoomEvent>
    private let append: Bool
    private var operations: ImportOperations
    private var count = ImportCount()
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
        operations = ImportOperations(
            append: append, transactionBytes: client.limits.transactionBytes,
            transactionOperations: client.limits.transactionOperations)
    }

    /// Reads the file and sends its sections and items.
    ///
    /// - Returns: a summary for people.
    func run(_ file: SnapshotFile) async throws -> String {
        do {
            try await file.forEachPart { part, reader in
                try await send(try operations.add(part, at: reader.placeOfPart))
            }
            try await send(operations.finish())
            while count.unanswered > 0 { try await takeAnswers() }
        } catch {
            await settle()
            progress.end()
            throw Failure(
                "\(message(of: error)) (\(summary) before that)",
                exitCode: exitCode(of: error), code: code(of: error))
        }
        progress.end()
        guard append || !count.hasSkipped else {
            throw Failure(
                "\(summary): somebody else has made an item or a section with an id of the file",
                exitCode: Failure.badData, code: "repeated")
        }
        return summary
    }

    /// Waits for transactions in flight, so that the summary is true. If the room has ended or the
    /// task is cancelled, no more answers come.
    private func settle() async {
        while count.unanswered > 0, !hasEnded, let events = try? await inbox.takeAll() {
            for event in events { take(event) }
        }
    }

    private var summary: String {
        let skipped = count.skippedItems == 1 ? "1 was" : "\(count.skippedItems) were"
        return "\(counted(count.items, "item")) imported"
            + (count.skippedItems > 0 ? ", \(skipped) there already" : "")
    }

    private func message(of error: any Error) -> String {
        (error as? Failure)?.message ?? (error as? CollectionError)?.message ?? "\(error)"
    }

    private func code(of error: any Error) -> String {
        if error is RepeatedID { return "repeated" }
        return (error as? Failure)?.code ?? (error as? CollectionError)?.code ?? "failed"
    }

    private func exitCode(of error: any Error) -> Int32 {
        (error as? Failure)?.exitCode
            ?? (error as? CollectionError).map { Failure.exitCode(of: $0) } ?? Failure.badData
    }

    // MARK: Sending

    private func send(_ steps: [ImportStep]) async throws {
        for step in steps {
            while !count.canJudge(section: step.section, mostInFlight: Importer.maximumInFlight) {
                try await takeAnswers()
            }
            guard count.allows(section: step.section) else { continue }
            let origin = step.origin
            do throws(CollectionError) {
                count.didSend(try await room.send(step.operations), origin)
            } catch {
                guard let rejection = error.rejection else { throw error }
                throw Importer.failure(origin.placed(rejection))
            }
        }
    }

    private static func failure(_ rejection: Rejection) -> Failure {
        let code = rejection.code == .notAllowed ? Failure.notAllowed : Failure.badData
        return Failure(rejection.message, exitCode: code, code: rejection.code.name)
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
            progress.add(count.didCommit(number, without: commit.superseded))
        case .rejected(let number, let rejection):
            let failure = Importer.failure(count.didReject(number, rejection))
            ending = ending ?? failure
        case .ended(let error):
            hasEnded = true
            ending = ending ?? Failure(error)
        case .interrupted(let error, _): Terminal.say("warning: \(error.message)")
        case .nearLimit(let use): Terminal.say("warning: " + PlainText.describe(use))
        case .joined, .snapshot, .authors, .batch: break
        }
    }
}
