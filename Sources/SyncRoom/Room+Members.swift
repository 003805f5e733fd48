import SyncEngine
package import SyncModel
import SyncWire

/// What a new member begins with.
package struct Admittance: Sendable, Equatable {
    /// The room's revision, as far as it may be seen.
    package var revision: Revision
    /// Batches go on from what the member holds; otherwise a snapshot comes.
    package var resumed: Bool
    /// What the member holds is not of this room's history: the transactions that it sent before
    /// are refused, unless it is known what came of them.
    package var changed: Bool
    /// The room's id and its newest epochs.
    package var identity: RoomIdentity
    /// The greatest counter that is known of the client.
    package var lastCounter: UInt64
    /// The same client's former connection, which is no member any more.
    package var replaced: MembershipID?
    /// The membership that begins.
    package var membership: MembershipID
    /// What is known of the transactions that the client has no answer to.
    package var answers: EarlyAnswers
}

extension Room {
    /// Takes a member in. It is sent what it lacks from the next ``compose(with:at:deliver:)`` on.
    /// What the same client sent on another connection is applied by now, so that ``Authors`` know
    /// it.
    package func join(_ admission: Admission) throws(RoomRefusal) -> Admittance {
        guard members[admission.member] == nil else { throw .isMember }
        let former = members.member(of: admission.client)
        let latest = former ?? members.leaving(admission.client)
        let author = state.author(admission.client)
        let secret = SecretHash(of: admission.secret, client: admission.client, in: identity.id)
        let known = author.map { state.authors[$0].secret } ?? latest?.secret
        guard known?.matches(secret) ?? true else { throw .badSecret }
        if let former {
            // What a lost connection still brings must not put the client out of its new one.
            guard former.connection <= admission.connection else { throw .isReplaced }
            leave(former.id)
        }

        let foreign = foreign(admission)
        var resumesFrom: Revision?
        if let from = admission.from, foreign == nil, !admission.viewOnly,
            from >= state.engine.horizon
        {
            resumesFrom = from
        }
        let lastCounter = max(
            state.authors.lastCounter(of: author, secret), latest?.counters.last ?? 0)
        let member = Member(
            admission, secret: secret, sent: resumesFrom, floor: resumesFrom ?? durableRevision,
            leastSnapshot: author == nil ? 0 : durableRevision, author: author,
            counters: CounterRange(
                sent: admission.counter, after: latest?.counters, known: lastCounter,
                foreign: foreign),
            on: accounts.tally)
        members.add(member)
        accounts.enter(member)
        putInLine(member)
        if admission.presence { enter(member) }
        let answers = earlyAnswers(for: member, admission, in: state)
        return Admittance(
            revision: durableRevision, resumed: resumesFrom != nil, changed: foreign != nil,
            identity: identity.forClients, lastCounter: lastCounter, replaced: former?.membership,
            membership: member.membership, answers: answers)
    }

    /// Whether what a client holds is of something else than this room's history.
    private func foreign(_ admission: Admission) -> CounterRange.Foreign? {
        guard let origin = admission.origin else {
            return admission.from == nil ? nil : .past
        }
        if origin.room != identity.id { return .room }
        return includes(admission.from ?? 0, of: origin) ? nil : .past
    }

    /// Whether a revision that a client tells is of this room's history, as far as it may be seen.
    package func includes(_ revision: Revision, of origin: Origin) -> Bool {
        revision <= durableRevision && identity.includes(revision, of: origin)
    }

    /// Lets a member go. Its transactions stand; nobody is told what becomes of them, unless the
    /// same client asks again.
    package func leave(_ id: ConnectionID) {
        dropTasks(of: id)
        guard let member = members[id] else { return }
        if place.isDeleting {
            answers.leave(member)
            return dismiss(member)
        }
        budget.spend(WorkCost.leave.steps())
        member.hasLeft = true
        member.subscription.feed = nil
        endDrags(of: member)
        closeViews(of: member)
        leavePresence(member)
        members.remove(member)
        accounts.leave(member)
        // It has to stay known until all of it is applied that it has sent.
        if member.lastQueued > queue.transactions.takenCount {
            members.keep(member, through: queue.transactions.appendedCount)
        }
        answers.leave(member)
    }

    /// A member says what it holds, and so what it no longer needs.
    /// What is not of this room's history is passed over.
    package func hold(_ revision: Revision, of origin: Origin?, by id: ConnectionID) {
        guard let member = members[id], let origin, includes(revision, of: origin) else { return }
        member.subscription.hold(revision)
    }

    /// A member has taken what it was sent, and can take more.
    package func ready(_ id: ConnectionID) {
        guard let member = members[id] else { return }
        member.becomeReady()
        putInLine(member)
        if member.listening?.index != nil { listeners.lookAgain(at: member) }
    }

    package func member(_ id: ConnectionID) -> Member? {
        members[id]
    }

    /// Forgets what nobody needs any more. Only between records: the log says what the horizon was
    /// before each entry.
    ///
    /// The limit of revisions bounds what members may make transactions from, and passes nothing
    /// that one was sent: from there it goes on. Only the limits of bytes and of dead nodes do.
    ///
    /// What is forgotten is swept step by step, and the horizon goes on when that is done.
    func advanceHorizon() {
        let engine = state.engine
        engine.sweep(atMost: sweepStep)
        guard engine.unsweptCount == 0 else { return }
        let revision = engine.revision
        func back(_ distance: Revision) -> Revision { revision - min(revision, distance) }
        var (bases, sent) = (Revision.max, Revision.max)
        for member in members.list where !member.subscription.viewOnly {
            bases = min(bases, member.subscription.floor)
            sent = min(sent, member.subscription.sent ?? .max)
        }
        var target = min(back(policy.horizon), max(bases, back(policy.maximumHorizon)), sent)
        target = max(target, log.reach.start)
        target = min(target, engine.horizon + RoomPolicy.horizonStep, durableRevision)
        engine.moveHorizon(to: target)
        let wereSwept = engine.unsweptCount
        engine.sweep(atMost: sweepStep)
        var left = sweepStep - wereSwept
        while left > 0, isRetainingTooMuch, engine.horizon < durableRevision {
            engine.moveHorizon(to: engine.horizon + 1)
            let count = engine.unsweptCount
            engine.sweep(atMost: left)
            left -= count + 1
        }
    }

    /// How many journal entries are swept at once: that takes half a share of a turn at most.
    private var sweepStep: Int {
        min(RoomPolicy.sweepStep, max(Room.leastSweepStep, budget.stepsPerShare / 8))
    }

    private static let leastSweepStep = 16

    /// Whether something is forgotten and not swept yet.
    package var hasUnswept: Bool {
        place.isHere && (state.engine.unsweptCount > 0 || views.hasGone)
    }

    /// Whether screens of views are gone and not freed yet.
    package var hasGoneScreens: Bool { views.hasGone }

    /// Goes on sweeping with what is left of the turn: so a room to which very much comes sweeps as
    /// fast as it forgets, and one to which nothing comes any more gets rid of what it has
    /// forgotten, too.
    package func sweep() {
        guard hasUnswept else { return }
        let steps = max(budget.allowance, min(budget.left / 2, budget.stepsPerPiece / 2))
        guard steps > 0 else { return }
        let gone = views.hasGone ? views.freeGone(atMost: steps) : 0
        budget.spend(gone)
        guard gone < steps else { return }
        let engine = state.engine
        let (before, nodes) = (engine.stepsTaken, engine.nodeCount)
        let entries = WorkCost.engineUnits(for: steps - gone, among: nodes) / 2
        engine.sweep(atMost: min(RoomPolicy.sweepStep, max(1, entries)))
        budget.spend(WorkCost.engineSteps(engine.stepsTaken &- before, among: nodes))
    }

    /// Whether more is kept for those that are behind than the policy allows.
    private var isRetainingTooMuch: Bool {
        state.engine.deadNodeCount > policy.maximumDeadNodes
            || state.engine.retainedBytes > policy.maximumHorizonBytes
    }
}
