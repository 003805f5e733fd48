import EngineTwin
import LayoutTwin
import SyncClient
import SyncEngine
import SyncLayout
import SyncRoom
import SyncServer
import SyncSim
import SyncStore
import SyncWire

/// Compares all that was said in a run with what the disk holds in the end, played to the naive twin.
struct Judge {
    private let evidence: Evidence
    private let disk: SimulatedDisk
    private let configuration: ServerConfiguration

    init(_ evidence: Evidence, _ disk: SimulatedDisk, _ configuration: ServerConfiguration) {
        self.evidence = evidence
        self.disk = disk
        self.configuration = configuration
    }

    /// Judges one room.
    ///
    /// - Returns: how many transactions its log holds.
    @discardableResult
    func judge(_ room: String) -> Int {
        let log = disk.durable[room]
        checkSnapshots(log, of: room)
        var trial = RoomTrial(room, evidence, configuration)
        do {
            try trial.replay(log.records)
        } catch {
            evidence.accuse(.damaged, "the log of \(room): \(error)")
        }
        trial.checkAnswers()
        trial.checkStates()
        trial.checkHistories()
        trial.checkFirstScreens()
        return trial.entryCount
    }

    /// The server's own check of a store: each snapshot is what the records before it make.
    private func checkSnapshots(_ log: DurableLogs.Room, of room: String) {
        let verifier = RoomVerifier()
        var failure = verifier.begin(room: room, at: nil)
        for record in log.records {
            failure = failure ?? verifier.apply(record)
            for snapshot in log.snapshots where snapshot.sequence == record.sequence {
                failure = failure ?? verifier.compare(with: snapshot)
            }
        }
        if let failure { evidence.accuse(.damaged, "\(room) on disk: \(failure)") }
    }
}

/// One room's log, played to the twin.
private struct RoomTrial {
    let room: String
    let evidence: Evidence
    let configuration: ServerConfiguration
    let twin = Twin()
    var reader = LogReader()
    /// What the log and the twin make of each transaction.
    var outcomes: [Evidence.Name: Answer] = [:]
    var states: [Snapshot]

    init(_ room: String, _ evidence: Evidence, _ configuration: ServerConfiguration) {
        self.room = room
        self.evidence = evidence
        self.configuration = configuration
        states = [twin.snapshot()]
    }

    var entryCount: Int { outcomes.count }

    // MARK: The log

    mutating func replay(_ records: [LogRecord]) throws {
        for record in records {
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
        _ transaction: Transaction, by author: Identifier, _ name: Evidence.Name
    ) {
        if outcomes[name] != nil {
            evidence.accuse(.appliedTwice, "\(name) stands twice in the log")
        }
        guard let submitted = evidence.submitted[name] else {
            return evidence.accuse(.invented, "\(name) is in the log, and nobody sent it")
        }
        if transaction != submitted.canonical {
            evidence.accuse(.invented, "\(name) is not in the log as it was sent")
        }
        do throws(Rejection) {
            outcomes[name] = .committed(try twin.submit(transaction, by: author))
            states.append(twin.snapshot())
        } catch {
            evidence.accuse(.differs, "\(name) was accepted; the twin refuses it: \(error)")
        }
    }

    /// What is remembered for those who are behind is bounded.
    private func checkHorizon() {
        let policy = configuration.room
        // The horizon stays below what is durable, which some ticks are ahead of.
        let slack = Revision(configuration.wire.unansweredTransactions) * 8
        let behind = twin.revision - twin.horizon
        if behind > policy.maximumHorizon + slack {
            evidence.accuse(.unbounded, "the horizon is \(behind) behind \(twin.revision)")
        }
    }

    // MARK: What clients were told

    func checkAnswers() {
        let answers = evidence.answers.filter { $0.key.room == room }
            .sorted { ($0.key.client, $0.key.counter) < ($1.key.client, $1.key.counter) }
        for (name, answer) in answers {
            switch (answer, outcomes[name]) {
            case (.committed(let commit), nil):
                evidence.accuse(
                    .notDurable, "\(name) was acknowledged as \(commit.revision), and is lost")
            case (.committed(let told), .committed(let made)) where told == made: break
            // What changes nothing is in no log.
            case (.rejected, nil): break
            case (_, let made):
                evidence.accuse(
                    .differs, "\(name) was answered \(answer), it is \(String(describing: made))")
            }
        }
    }

    func checkStates() {
        let held = (evidence.states[room] ?? [:]).sorted { $0.key < $1.key }
        for (revision, state) in held {
            guard revision < states.count else {
                evidence.accuse(
                    .notDurable, "revision \(revision) of \(room) was shown, and is lost")
                continue
            }
            let expected = states[Int(revision)]
            if state != expected {
                evidence.accuse(
                    .wrongState,
                    "revision \(revision) of \(room) was shown as\n\(state.text)\nand is\n"
                        + expected.text)
                return
            }
        }
    }

    /// Of a large screen some may be still to come.
    func checkFirstScreens() {
        for screen in evidence.firstScreens where screen.room == room {
            guard screen.revision < states.count else { continue }
            var difference: String?
            do throws(LayoutError) {
                let whole = try WholeScreen(
                    of: states[Int(screen.revision)], in: screen.look)
                difference = whole.difference(
                    from: screen.held.shown, screen.held.contentSize, isWhole: false)
                if difference == nil, !screen.held.shown.allSatisfy(whole.shown.contains) {
                    difference = "the contents are others"
                }
            } catch {
                difference = "\(error)"
            }
            if let difference {
                evidence.accuse(
                    .wrongState,
                    "\(screen.who) was shown \(room) at \(screen.revision): \(difference)")
            }
        }
    }

    func checkHistories() {
        for history in evidence.histories where history.room == room {
            guard history.until < states.count else { continue }
            var state = states[Int(history.from)]
            do throws(Illegality) {
                for batch in history.batches {
                    state = try LegalityChecker.apply(batch, to: state)
                }
            } catch {
                evidence.accuse(
                    .illegalBatch, "history of \(room) from \(history.from): \(error)")
                continue
            }
            if state != states[Int(history.until)] {
                evidence.accuse(
                    .differs,
                    "history of \(room) from \(history.from) ends with another room at"
                        + " \(history.until)")
            }
        }
    }
}
