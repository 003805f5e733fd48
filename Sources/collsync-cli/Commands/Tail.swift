import ArgumentParser
import CollSync
import SyncClient
import SyncJSON
import SyncModel
import SyncTerminal
import SyncWire

/// `tail ROOM`: prints a room's confirmed batches.
struct Tail: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print changes of a room, live or from its history.",
        discussion: """
            With --from and --until it prints one batch of all changes between the two, or \
            each revision with --every-revision. It waits for a revision that does not exist yet. \
            If both are the same, nothing changed, and nothing is printed. \
            With --from alone it continues live; without both, it begins now.
            """)

    @ParentCommand var parent: CollSyncCLI
    @OptionGroup var options: ServerOptions

    @Argument(help: "The room's name.")
    var room: String

    @Option(name: .long, help: "The revision to begin at (default: now).")
    var from: UInt64?

    @Option(name: .long, help: "The revision to end with.")
    var until: UInt64?

    @Flag(name: .long, help: "Print a batch for each revision.")
    var everyRevision = false

    func validate() throws {
        if let from, let until, from > until {
            throw ValidationError("--from must not be above --until")
        }
    }

    func run() async throws {
        let options = options.resolved(parent.options)
        let follower = Follower(
            room: room, from: from, until: until, everyRevision: everyRevision,
            printsJSON: options.printsJSON)
        try await perform {
            try await Interruption.cancels {
                let client = try await options.connect()
                defer { client.closeAndWait() }
                try await follower.run(client)
            }
        }
    }
}

/// Prints a room's changes, starting at a revision.
struct Follower: Sendable {
    var room: String
    var from: Revision?
    var until: Revision?
    var everyRevision: Bool
    var printsJSON: Bool
    let output = Output()

    func run(_ client: CollectionClient) async throws {
        if let from, let until, !everyRevision {
            try await wait(client, for: until)
            if from < until { _ = try await printHistory(client, from: from, until: until) }
            return
        }
        var start = try await now(client)
        let now = start.revision
        if let from, from > now {
            guard until != nil else {
                throw Failure(
                    "\(room) is at revision \(now): there is nothing from \(from) on yet",
                    exitCode: Failure.badData)
            }
            try await wait(client, for: from)
            return Task.isCancelled ? () : try await run(client)
        }
        if let from {
            start.revision = from
            let last = min(until ?? now, now)
            if last > from {
                start.revision = try await printHistory(
                    client, from: from, until: last, origin: start.origin)
            }
        } else if let until, until < now {
            throw Failure(
                "\(room) is at revision \(now) already: --from says where to begin",
                exitCode: Failure.badData)
        }
        if let until, start.revision >= until { return }
        if Task.isCancelled { return }
        try await printLive(client, from: start)
    }

    /// A revision with its room and epoch.
    struct Start: Sendable {
        var revision: Revision
        var origin: Origin
    }

    /// The room's current revision.
    private func now(_ client: CollectionClient) async throws -> Start {
        let stats = try await client.stats(of: room)
        return Start(revision: stats.revision, origin: stats.origin)
    }

    /// Waits until the room reaches a revision.
    private func wait(_ client: CollectionClient, for until: Revision) async throws {
        let now = try await now(client)
        if now.revision >= until { return }
        try await follow(client, from: now) { event in
            if case .batch(let batch) = event { return batch.to < until }
            if case .snapshot(let snapshot) = event { return snapshot.revision < until }
            return true
        }
    }

    /// - Returns: the revision that it has reached.
    private func printHistory(
        _ client: CollectionClient, from start: Revision, until: Revision, origin: Origin? = nil
    ) async throws -> Revision {
        var reached = start
        while !Task.isCancelled {
            do {
                let inbox = try client.historyInbox(
                    of: room, from: reached, until: until, everyRevision: everyRevision,
                    origin: origin)
                while let batches = try await inbox.takeAll() {
                    try show(batches.map { .batch($0) })
                    reached = batches.last?.to ?? reached
                }
                return reached
            } catch let error as CollectionError where error.retry {
                Terminal.say("warning: \(error.message); trying again")
                try await Task.sleep(for: .milliseconds(500))
            }
        }
        return reached
    }

    private func printLive(_ client: CollectionClient, from start: Start) async throws {
        var overshot: Batch?
        try await follow(client, from: start) { event in
            if case .batch(let batch) = event, let until, batch.to > until {
                overshot = batch
                return false
            }
            try show([event])
            if case .batch(let batch) = event, let until { return batch.to < until }
            return true
        }
        // The live batch extends beyond `until`. Ask the history for one that ends there.
        if let overshot, let until, overshot.from < until {
            _ = try await printHistory(client, from: overshot.from, until: until)
        }
    }

    /// Joins, and calls `goOn` with each event until it returns `false` or the task is cancelled.
    private func follow(
        _ client: CollectionClient, from start: Start,
        _ goOn: (RoomEvent) throws -> Bool
    ) async throws {
        var options = Membership.Options()
        options.keepsItems = false
        options.from = start.revision
        options.origin = start.origin
        options.everyRevision = everyRevision
        let inbox = try await client.follow(room, options)
        var isInterrupted = false
        while let events = try await inbox.takeAll() {
            for event in events {
                switch event {
                case .interrupted: isInterrupted = true
                case .joined where isInterrupted:
                    isInterrupted = false
                    Terminal.say("connected again")
                default: break
                }
                if case .ended(let error) = event, error.code != "closed" { throw error }
                if try !goOn(event) { return }
            }
        }
    }

    /// Prints batches, and the snapshots that replace them. Warnings about lost connections go to
    /// standard error.
    private func show(_ events: [RoomEvent]) throws {
        var lines: [RoomEvent] = []
        for event in events {
            switch event {
            case .batch, .snapshot: lines.append(event)
            case .interrupted(let error, _): Terminal.say("warning: \(error.message)")
            case .joined, .authors, .acknowledged, .rejected, .nearLimit, .ended: break
            }
        }
        if printsJSON {
            try output.write(lines.compactMap { ServerLine($0, room: room) })
        } else {
            try output.write(text: lines.map { PlainText.describe($0) }.joined())
        }
    }
}
