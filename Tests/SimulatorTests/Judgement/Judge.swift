import EngineTwin
import LayoutTwin
import SyncClient
import SyncLayout
import SyncModel
import SyncRoom
import SyncServer
import SyncSim
import SyncStore
import SyncWire

/// Compares everything that was sent in a run with the records on the disk, including records that
/// were lost later, replayed in the naive twin.
///
/// A room has one line of history after another: a deletion or a restored copy of the store ends
/// one. Each line has a twin of its own. What clients were sent about a revision must be true in a
/// line that has it. An acknowledged transaction must be in a line; it may only disappear with all
/// later ones of that line. A transaction that was made for one line must be in no other.
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
    /// - Returns: the number of transactions in its log.
    @discardableResult
    func judge(_ room: RoomName) -> Int {
        let trials = evidence.lines.all(of: room).map { line in
            checkSnapshots(line.durable, of: room)
            var trial = LineTrial(room, line, evidence, configuration)
            do {
                try trial.replay()
            } catch {
                evidence.accuse(.damaged, "the log of \(room): \(error)")
            }
            return trial
        }
        let trial = RoomTrial(room: room, evidence: evidence, lines: trials)
        trial.checkAnswers()
        trial.checkStates()
        trial.checkHistories()
        trial.checkFirstScreens()
        evidence.didEvict(trials.map(\.evictionCount).max() ?? 0)
        return trials.map(\.entryCount).max() ?? 0
    }

    /// The server's own check of a store: each snapshot equals what the records before it make.
    private func checkSnapshots(_ log: DurableLine, of room: RoomName) {
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

/// What clients were sent about one room.
private struct RoomTrial {
    let room: RoomName
    let evidence: Evidence
    let lines: [LineTrial]

    /// The lines that a server can mean after it has sent a client this identity: those with its
    /// newest epoch, if something was written in it.
    private func lines(of identity: RoomIdentity?) -> [LineTrial] {
        guard let identity else { return lines }
        let room = lines.filter { $0.line.identity?.id == identity.id }
        for epoch in identity.epochs.reversed() {
            let found = room.filter { line in
                line.line.identity?.epochs.contains { $0.id == epoch.id } == true
            }
            if !found.isEmpty { return found }
        }
        return []
    }

    func checkAnswers() {
        let answers = evidence.answers.filter { $0.key.room == room }
            .sorted { ($0.key.client, $0.key.counter) < ($1.key.client, $1.key.counter) }
        for (name, heard) in answers {
            if case .committed(let told) = heard.answer {
                checkCommit(name, told)
            } else {
                checkRejection(name, heard)
            }
        }
    }

    private func checkCommit(_ name: Evidence.Name, _ told: Commit) {
        let made = lines.compactMap { $0.outcomes[name] }
        if made.contains(.committed(told)) { return }
        guard let other = made.last else {
            return evidence.accuse(
                .notDurable, "\(name) was acknowledged as \(told.revision), and is lost")
        }
        evidence.accuse(.differs, "\(name) was acknowledged \(told), it is \(other)")
    }

    /// A transaction that changes nothing is in no log. One that was refused may have been accepted
    /// in a line that is lost.
    private func checkRejection(_ name: Evidence.Name, _ heard: Evidence.Heard) {
        let candidates = lines(of: heard.identity)
        if case .rejected(let told) = heard.answer, told.code == .forgotten {
            return checkForgotten(name, candidates)
        }
        if candidates.isEmpty || candidates.contains(where: { $0.outcomes[name] == nil }) { return }
        // Deleting a room rejects transactions that wait for the log. The log is deleted too,
        // unless the server dies in between.
        if case .rejected(let told) = heard.answer, told.code == .roomDeleted,
            evidence.hasOpenDeletion(of: room)
                || candidates.contains(where: {
                    $0.line.durable !== evidence.lines.current(of: room).durable
                })
        {
            return
        }
        // Somebody who may not write any more is not told about earlier transactions.
        if case .rejected(let told) = heard.answer, told.code == .notAllowed { return }
        // `roomChanged` does not say whether the earlier room has accepted the transaction, and
        // that room may have come back. A program is not told which room has answered. That may be
        // a new one, which is no line as long as nothing is written there.
        let hasOtherRoom =
            lines.count > 1 || heard.identity == nil && evidence.lossCount(of: room) > 0
        if case .rejected(let told) = heard.answer, told.code == .roomChanged, hasOtherRoom {
            return
        }
        let made = candidates.compactMap { $0.outcomes[name] }.last
        evidence.accuse(
            .differs, "\(name) was answered \(heard.answer), it is \(String(describing: made))")
    }

    private func checkForgotten(_ name: Evidence.Name, _ candidates: [LineTrial]) {
        let base = evidence.submitted[name]?.transaction.base ?? 0
        if candidates.contains(where: { $0.mayForget(name, base: base) }) { return }
        evidence.accuse(.differs, "\(name) is forgotten, and nobody was evicted behind its base")
    }

    /// The state at a revision, in the line that has it.
    private func state(_ held: Evidence.Held) -> Snapshot? {
        if held.revision == 0 { return Twin().snapshot() }
        guard let origin = held.origin else { return nil }
        return lines.first { $0.line.includes(held.revision, of: origin) }?
            .state(at: held.revision)
    }

    func checkStates() {
        let held = evidence.states.filter { $0.key.room == room }
            .sorted { ($0.key.revision, "\($0.key)") < ($1.key.revision, "\($1.key)") }
        for (key, state) in held {
            guard let expected = self.state(key) else {
                evidence.accuse(
                    .notDurable, "revision \(key.revision) of \(room) was shown, and is lost")
                continue
            }
            if state != expected {
                evidence.accuse(
                    .wrongState,
                    "revision \(key.revision) of \(room) was shown as\n\(state.text)\nand is\n"
                        + expected.text)
                return
            }
        }
    }

    /// Large screens may arrive in parts.
    func checkFirstScreens() {
        for screen in evidence.firstScreens where screen.held.room == room {
            guard let state = state(screen.held) else { continue }
            var difference: String?
            do throws(LayoutError) {
                let whole = try WholeScreen(of: state, in: screen.look)
                difference = whole.difference(
                    from: screen.screen.shown, screen.screen.contentSize, isWhole: false)
                if difference == nil, !screen.screen.shown.allSatisfy(whole.shown.contains) {
                    difference = "the contents are others"
                }
            } catch {
                difference = "\(error)"
            }
            if let difference {
                evidence.accuse(
                    .wrongState,
                    "\(screen.who) was shown \(room) at \(screen.held.revision): \(difference)")
            }
        }
    }

    /// All batches of an answer must belong to one line, which the request may have named.
    func checkHistories() {
        for history in evidence.histories where history.room == room {
            let candidates = lines.filter { line in
                guard let origin = history.origin, history.until > 0 else {
                    return line.state(at: history.until) != nil
                }
                return line.line.includes(history.until, of: origin)
            }
            let failures = candidates.map { failure(of: history, in: $0) }
            if failures.contains(where: { $0 == nil }) { continue }
            if let failure = failures.compactMap({ $0 }).first {
                evidence.accuse(
                    failure.kind, "history of \(room) from \(history.from): \(failure.text)")
            }
        }
    }

    private func failure(of history: HistoryAnswer, in line: LineTrial) -> Violation? {
        guard var state = line.state(at: history.from), let end = line.state(at: history.until)
        else { return Violation(kind: .notDurable, text: "it is lost") }
        do throws(Illegality) {
            for batch in history.batches {
                state = try LegalityChecker.apply(batch, to: state)
            }
        } catch {
            return Violation(kind: .illegalBatch, text: "\(error)")
        }
        return state == end
            ? nil : Violation(kind: .differs, text: "it ends with another room at \(history.until)")
    }
}
