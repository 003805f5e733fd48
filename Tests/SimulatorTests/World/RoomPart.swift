import EngineTwin
import SeededRandom
import SyncClient
import SyncIO
import SyncModel
import SyncWire

/// One client's part in one room: its unanswered transactions, its state, its views and drags, and
/// the presence of others.
final class RoomPart {
    /// A transaction without an answer. It is kept if the client keeps its state.
    private struct Unanswered {
        var counter: UInt64
        var transaction: ListTransaction
        /// The origin of its base.
        var origin: Origin?
        /// Whether it was sent in a former life, or to a room from which the client was removed
        /// since.
        var isOld = false
    }

    let name: RoomName
    unowned let machine: ClientMachine
    private(set) var membership: Membership?
    /// The room according to the batches, applied by the test's own code.
    private(set) var held: Snapshot?
    /// The open views.
    var views: [ViewPart] = []
    /// The views that were requested from a server and have shown nothing since.
    var awaited: Set<ViewNumber> = []
    /// Its current drag in one of them.
    var drag: DragPart?
    /// The number of final drags that it has begun.
    var dragAttempts = 0
    /// The presence that it shows, and what it sees of others.
    var shown: PresenceState?
    var others: [Identifier: SeenPresence] = [:]
    private var isJoined = false
    /// The room's id and epochs, as last received.
    private(set) var identity: RoomIdentity?
    /// The origin of its last revision.
    private var lastOrigin: Origin?
    /// Whether the room was replaced or has lost revisions, so that it must be loaded again.
    private var isChanged = false
    /// How often it was notified of that, and how often it then received the other content. What it
    /// sent before either may be refused.
    private var changeCount = 0
    /// How often the room had lost something when its state was received.
    private var lossCount = 0
    private var outbox: [Unanswered] = []
    private var lastCounter: UInt64 = 0
    private var lastBase: Revision = 0
    private var lastBaseOrigin: Origin?
    /// Transactions up to this one may be part of a snapshot before they are answered.
    private var lastSentAgain: UInt64 = 0

    private static let maximumOutbox = 40
    /// The longest absence, in milliseconds.
    private static let maximumAbsence = 150

    init(_ name: RoomName, of machine: ClientMachine) {
        self.name = name
        self.machine = machine
    }

    var evidence: Evidence { machine.evidence }

    private func evidenceName(_ counter: UInt64) -> Evidence.Name {
        Evidence.Name(room: name, client: machine.identity.client, counter: counter)
    }

    // MARK: Joining and leaving

    /// Joins the room, and resends what has no answer.
    func join(_ session: ClientSession) {
        var options = Membership.Options()
        isJoined = false
        options.everyRevision = machine.random.chance(machine.scenario.everyRevisionPercent)
        options.isViewOnly = machine.isViewer
        options.presence = machine.scenario.hasPresence
        if machine.random.chance(50) { options.origin = lastOrigin }
        options.sentCounter = lastCounter
        forget()
        membership = session.join(name, options: options, observer: self)
        lastSentAgain = lastCounter
        for index in outbox.indices {
            outbox[index].isOld = true
            send(outbox[index], session)
        }
    }

    func leaveAndReturn(_ session: ClientSession) {
        guard let membership else { return }
        evidence.note("\(machine.host) leaves \(name) and comes back")
        self.membership = nil
        session.leave(membership)
        guard machine.scenario.forgetsAuthors else { return join(session) }
        let absence = UInt64(machine.random.below(RoomPart.maximumAbsence))
        isJoined = false
        forget()
        comeBack(afterMilliseconds: absence)
    }

    private func comeBack(afterMilliseconds delay: UInt64) {
        machine.loop?.schedule(afterMilliseconds: delay) { [weak self] in
            guard let self, membership == nil, let session = machine.session else { return }
            join(session)
        }
    }

    /// Discards everything that an earlier membership received.
    private func forget() {
        held = nil
        identity = nil
        isChanged = false
        views = []
        awaited = []
        drag = nil
        shown = nil
        others = [:]
    }

    func didDie(keepsState: Bool) {
        isJoined = false
        membership = nil
        forget()
        if !keepsState {
            outbox = []
            lastCounter = 0
            lastBase = 0
            lastOrigin = nil
        }
    }

    /// Whether it has all answers and a revision; its views are not compared.
    func isSettled(at revision: Revision) -> Bool {
        guard outbox.isEmpty, isJoined else { return false }
        if machine.isViewer { return held == nil }
        return held?.revision == revision && membership?.revision == revision
            && (revision == 0
                || evidence.lines.goesOn(from: revision, of: membership?.origin, in: name))
    }

    var state: String {
        "\(outbox.count) unanswered, holds \(held.map { "\($0.revision)" } ?? "nothing")"
    }

    // MARK: Writing

    func write(_ session: ClientSession) {
        guard let held, outbox.count < RoomPart.maximumOutbox else { return }
        guard held.revision >= leastBase else { return checkBase(held.revision) }
        var base = held.revision
        if machine.random.chance(15), lastBase < base {
            base -= UInt64(machine.random.below(Int(base - lastBase) + 1))
        }
        var transaction = machine.history.transaction(base: base, holding: held)
        if machine.scenario.flavour == .bulky, machine.random.chance(40) {
            transaction.operations += growth(in: held)
        }
        submit(transaction, session)
    }

    /// The base of its last transaction, unless that is lost.
    private var leastBase: Revision {
        if !evidence.lines.goesOn(from: lastBase, of: lastBaseOrigin, in: name) { lastBase = 0 }
        return lastBase
    }

    /// Moves an item of the current room.
    ///
    /// - Returns: the transaction's counter; `nil` if no transaction can be made now.
    func submitMove(_ move: ListOperation, _ session: ClientSession) -> UInt64? {
        guard let base = membership?.revision, base >= leastBase, !isChanged,
            outbox.count < RoomPart.maximumOutbox
        else { return nil }
        submit(ListTransaction(base: base, operations: [move]), session)
        return lastCounter
    }

    private func submit(_ transaction: ListTransaction, _ session: ClientSession) {
        (lastBase, lastBaseOrigin) = (transaction.base, membership?.origin)
        lastCounter += 1 + UInt64(machine.random.chance(5) ? 3 : 0)
        let origin = membership?.origin
        evidence.didSubmit(
            evidenceName(lastCounter), transaction,
            holding: membership?.revision ?? transaction.base, of: origin,
            changeCount: changeCount)
        let unanswered = Unanswered(
            counter: lastCounter, transaction: transaction, origin: origin)
        outbox.append(unanswered)
        send(unanswered, session)
    }

    /// A client whose first transactions never arrived may receive a state from before them; it
    /// waits.
    private func checkBase(_ held: Revision) {
        let client = machine.identity.client
        // The same is true of one that was evicted.
        guard evidence.hasWritten(client, in: name), !machine.scenario.forgetsAuthors else {
            return
        }
        // The state may have been in flight when a copy of the store was restored.
        guard evidence.lines.goesOn(from: held, of: lastOrigin, in: name) else { return }
        evidence.accuse(
            .brokenProtocol,
            "\(client) is shown revision \(held) of \(name), and has written from \(lastBase)")
    }

    /// Makes some item large.
    private func growth(in held: Snapshot) -> [ListOperation] {
        guard let item = machine.random.pick(held.sections.flatMap(\.items)) else { return [] }
        let field: Identifier = "f0"
        // Random letters, which deflate badly.
        var letters = [UInt8](repeating: 0, count: 10_000 + machine.random.below(50_000))
        for index in letters.indices {
            letters[index] = UInt8(ascii: "0") + UInt8(machine.random.below(64))
        }
        let text = String(decoding: letters, as: UTF8.self)
        return [.update(item.id, ItemPatch(set: [Field(name: field, value: .text(text))]))]
    }

    private func send(_ unanswered: Unanswered, _ session: ClientSession) {
        guard let membership else { return }
        // The origin is optional if the transaction is based on this membership's state.
        let saysOrigin = unanswered.isOld || machine.random.chance(20)
        let transaction = unanswered.transaction
        session.submit(
            transaction.operations, to: membership, base: transaction.base,
            origin: saysOrigin ? unanswered.origin : nil, counter: unanswered.counter,
            isAllOrNothing: transaction.isAllOrNothing
        ) { [weak self, weak membership] answer in
            guard let self, self.membership === membership else { return }
            didAnswer(unanswered.counter, answer)
        }
    }

    private func didAnswer(_ counter: UInt64, _ answer: Answer) {
        if case .unknown = answer { return }
        guard let place = outbox.firstIndex(where: { $0.counter == counter }) else {
            return evidence.accuse(
                .brokenProtocol, "\(evidenceName(counter)) was answered once more")
        }
        outbox.remove(at: place)
        evidence.didAnswer(evidenceName(counter), answer, in: identity, changeCount: changeCount)
        if case .committed(let commit) = answer, counter > lastSentAgain, let held,
            held.revision >= commit.revision
        {
            evidence.accuse(
                .brokenProtocol,
                "\(evidenceName(counter)) was answered with \(commit.revision) after it was shown")
        }
    }

    // MARK: Requests

    func askForHistory(_ session: ClientSession) {
        guard let held else { return }
        let from = UInt64(machine.random.below(Int(held.revision) + 1))
        let every = machine.random.chance(40)
        let origin = machine.random.chance(50) ? membership?.origin : nil
        let question = Question.history(
            name, from: from, until: held.revision, everyRevision: every, origin: origin)
        let answer = HistoryAnswer(
            room: name, from: from, until: held.revision, origin: origin)
        let isCurrent = evidence.lines.goesOn(from: held.revision, of: origin, in: name)
        let lossCount = evidence.lossCount(of: name)
        session.ask(question) { [evidence, name] reply in
            switch reply {
            case .batch(let batch): answer.batches.append(batch)
            case .done: evidence.didAnswer(answer)
            case .failed(.server(.roomChanged, _, _, _))
            where isCurrent && evidence.lossCount(of: name) == lossCount:
                evidence.accuse(
                    .wrongHistory, "history of \(name), which is what it was, is refused")
            default: break
            }
        }
    }
}

// MARK: - Events

extension RoomPart: MembershipObserver {
    func membershipDidJoin(_ joined: Joined) {
        isJoined = true
        identity = joined.identity
        if joined.changed {
            isChanged = true
            changeCount += 1
            if let revision = membership?.revision, !machine.isViewer {
                evidence.didChange(
                    from: revision, membership?.origin, lossCount, in: name, machine.host)
            }
            for view in views { view.beginAnew() }
        }
        if joined.resumed, held == nil {
            evidence.accuse(.brokenProtocol, "\(machine.host) resumes without holding anything")
        }
    }

    func membershipDidLoad(_ snapshot: Snapshot) {
        hold(snapshot)
    }

    func membershipDidApply(_ batch: Batch) {
        evidence.didBatch()
        guard let held else {
            return evidence.accuse(.brokenProtocol, "\(machine.host) got a batch for nothing")
        }
        do throws(Illegality) {
            let after = try LegalityChecker.apply(batch, to: held)
            hold(after)
        } catch {
            evidence.accuse(
                .illegalBatch,
                "\(machine.host) in \(name), \(batch.from) to \(batch.to): \(error)")
        }
    }

    private func hold(_ state: Snapshot) {
        if let held, state.revision < held.revision, !isChanged {
            evidence.accuse(
                .brokenProtocol,
                "\(machine.host) in \(name) goes back from \(held.revision) to \(state.revision)")
        }
        held = state
        if isChanged { changeCount += 1 }
        isChanged = false
        lastOrigin = membership?.origin
        lossCount = evidence.lossCount(of: name)
        evidence.didHold(state, lastOrigin, in: name, machine.host)
        if let replica = membership?.replica.snapshot, replica != state {
            evidence.accuse(
                .differs, "\(machine.host): the replica of \(name) is not what the batches make")
        }
    }

    func membershipDidAnswer(_ counter: UInt64, _ answer: Answer) {}

    func membershipWasInterrupted(_ error: ClientError, retryAfterMilliseconds delay: UInt64) {
        isJoined = false
        // With the next join they are opened with their current settings.
        awaited = Set(views.map(\.number))
        evidence.wasInterrupted(by: error.code)
        switch error {
        case .batchDoesNotFit:
            evidence.accuse(.illegalBatch, "\(machine.host) in \(name): \(error)")
            held = nil
        case .viewUpdateDoesNotFit:
            evidence.accuse(.illegalUpdate, "\(machine.host) in \(name): \(error)")
        case .broken, .server(.badFrame, _, _, _), .server(.badMessage, _, _, _),
            .server(.badHandshake, _, _, _), .server(.internalError, _, _, _):
            evidence.accuse(.brokenProtocol, "\(machine.host) in \(name): \(error)")
        default: break
        }
    }

    /// After a failed first join or session, the program tries again.
    func membershipDidEnd(_ error: ClientError) {
        if case .server(.tokenRevoked, _, _, _) = error { machine.didLoseAccess() }
        guard membership != nil, error != .closed else { return }
        membership = nil
        held = nil
        // A deleted room is created again when a client joins it.
        let isDeleted = if case .server(.roomDeleted, _, _, _) = error { true } else { false }
        if !error.retry, !isDeleted, !machine.isDenied(error) {
            evidence.accuse(.brokenProtocol, "\(machine.host) is put out of \(name): \(error)")
        }
        comeBack(afterMilliseconds: 30)
    }
}
