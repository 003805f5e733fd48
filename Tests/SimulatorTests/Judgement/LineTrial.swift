import EngineTwin
import SyncClient
import SyncModel
import SyncRoom
import SyncServer
import SyncSim
import SyncStore
import SyncWire

/// One line of a room's history, replayed in the twin.
struct LineTrial {
    let room: RoomName
    let line: RoomLines.Line
    private let evidence: Evidence
    private let configuration: ServerConfiguration
    private let twin = Twin()
    private var reader = LogReader()
    /// The outcome of each transaction in the log and the twin.
    private(set) var outcomes: [Evidence.Name: Answer] = [:]
    private var states: [Snapshot]

    init(
        _ room: RoomName, _ line: RoomLines.Line, _ evidence: Evidence,
        _ configuration: ServerConfiguration
    ) {
        self.room = room
        self.line = line
        self.evidence = evidence
        self.configuration = configuration
        states = [twin.snapshot()]
    }

    var entryCount: Int { outcomes.count }

    var evictionCount: Int { reader.evictionCount }

    /// Whether the answer to a transaction may be forgotten, because its author may have been
    /// evicted after it.
    func mayForget(_ name: Evidence.Name, base: Revision) -> Bool {
        base < reader.evictedThrough || name.counter <= reader.forgottenThrough[name.client] ?? 0
    }

    func state(at revision: Revision) -> Snapshot? {
        revision < states.count ? states[Int(revision)] : nil
    }

    mutating func replay() throws {
        for record in line.durable.records {
            for entry in try reader.read(record) { play(entry) }
            if twin.revision != record.lastRevision {
                evidence.accuse(
                    .damaged,
                    "record \(record.sequence) ends at \(record.lastRevision), not \(twin.revision)"
                )
                return
            }
        }
    }

    private mutating func play(_ entry: LogReader.Entry) {
        switch entry {
        case .horizon(let horizon):
            twin.advanceHorizon(to: horizon)
            checkHorizon()
        case .commit(let author, let counter, let transaction):
            play(
                transaction, by: author.name,
                Evidence.Name(room: room, client: author.client, counter: counter))
        }
    }

    private mutating func play(
        _ transaction: ListTransaction, by author: Identifier, _ name: Evidence.Name
    ) {
        if outcomes[name] != nil {
            evidence.accuse(.appliedTwice, "\(name) stands twice in the log")
        }
        guard let submitted = evidence.submitted[name] else {
            return evidence.accuse(.invented, "\(name) is in the log, and nobody sent it")
        }
        if let access = evidence.access, !access.isAllowed(name) {
            evidence.accuse(.unallowed, "\(name) is in the log, and its author was no editor")
        }
        if evidence.access?.isForbidden(name) == true {
            evidence.accuse(.unallowed, "\(name) is in the log, and was taken back before")
        }
        checkHistory(of: submitted, name, hasSeenNothing: transaction.hasSeenNothing)
        var sent = submitted.transaction.canonical
        sent?.hasSeenNothing = transaction.hasSeenNothing
        if transaction != sent {
            evidence.accuse(.invented, "\(name) is not in the log as it was sent")
        }
        do throws(Rejection) {
            outcomes[name] = .committed(try twin.submit(transaction, by: author))
            states.append(twin.snapshot())
        } catch {
            evidence.accuse(.differs, "\(name) was accepted; the twin refuses it: \(error)")
        }
    }

    /// Checks that a transaction's base and the revisions of its guards belong to this line, or
    /// that its author had seen nothing.
    private func checkHistory(
        of submitted: Evidence.Submitted, _ name: Evidence.Name, hasSeenNothing: Bool
    ) {
        let base = submitted.transaction.base
        if base == 0, hasSeenNothing { return }
        let seen = submitted.transaction.operations.reduce(base) { seen, operation in
            guard case .guarded(_, let condition) = operation else { return seen }
            return max(seen, condition.revision)
        }
        guard let origin = submitted.origin, let identity = line.identity,
            !identity.includes(seen, of: origin)
        else { return }
        evidence.accuse(
            .wrongHistory, "\(name) was made for revision \(seen) of another history of \(room)")
    }

    /// Checks that the history for clients that are behind is bounded. The bound is a number of
    /// revisions, but members' revisions are kept until too many nodes are dead.
    private func checkHorizon() {
        let policy = configuration.room
        // The horizon stays below the durable revision, and commits are some ticks ahead of that.
        let slack = Revision(configuration.wire.unansweredTransactions) * 8
        let behind = twin.revision - twin.horizon
        guard behind > policy.maximumHorizon + slack else { return }
        let dead = twin.deadNodeCount
        if dead > policy.maximumDeadNodes + 8 * Int(slack) {
            evidence.accuse(
                .unbounded,
                "the horizon is \(behind) behind \(twin.revision), with \(dead) dead nodes")
        }
    }
}
