import SyncCounts
import SyncEngine
package import SyncModel
import SyncWire

/// The answer to a join.
package struct Admittance: Sendable, Equatable {
    /// The room's durable revision.
    package var revision: Revision
    /// Batches continue from the revision that the client has; otherwise it is sent a snapshot.
    package var resumed: Bool
    /// The content that the client has is not of this room's history. Its earlier transactions are
    /// refused, unless the room knows their outcomes.
    package var changed: Bool
    /// The room's id and its newest epochs.
    package var identity: RoomIdentity
    /// The greatest counter of the client that the room knows.
    package var lastCounter: UInt64
    /// The same client's membership on another connection, which this join has ended.
    package var replaced: MembershipID?
    /// The membership that begins.
    package var membership: MembershipID
    /// The known outcomes of transactions that the client has no answer to.
    package var answers: EarlyAnswers
}

extension Room {
    /// Adds a member. From the next ``compose(with:at:deliver:)`` on it is sent what it lacks.
    ///
    /// A join waits until the same client's earlier transactions, on any connection, are applied.
    /// So ``Authors`` knows their outcomes.
    package func join(_ admission: Admission) throws(RoomRefusal) -> Admittance {
        guard members[admission.member] == nil else { throw .isMember }
        let former = members.member(of: admission.client)
        let latest = former ?? members.leaving(admission.client)
        let author = state.author(admission.client)
        let secret = SecretHash(
            of: admission.secret, client: admission.client, user: admission.user, in: identity.id)
        let known = author.map { state.authors[$0].secret } ?? latest?.secret
        guard known?.matches(secret) ?? true else { throw .badSecret }
        if let former {
            // A join that a lost connection sent earlier must not replace the newer one.
            guard former.connection <= admission.connection else { throw .isReplaced }
            leave(former.id)
        } else if let most = policy.maximumMembers, members.list.count >= most {
            counts.count(.members)
            throw RoomRefusal(code: .limitExceeded, text: "a room has at most \(most) members")
        }

        let foreign = foreign(admission)
        let isChanged = foreign == .room || foreign == .past
        var resumesFrom: Revision?
        if let from = admission.from, !isChanged, !admission.viewOnly {
            if from >= state.engine.horizon {
                resumesFrom = from
            } else {
                counts.horizonMisses.add(at: HorizonMiss.join.rawValue)
            }
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
        enqueue(member)
        if admission.presence { enter(member) }
        warnOfAll(member)
        let answers = earlyAnswers(for: member, admission, in: state)
        return Admittance(
            revision: durableRevision, resumed: resumesFrom != nil, changed: isChanged,
            identity: identity.forClients, lastCounter: lastCounter, replaced: former?.membership,
            membership: member.membership, answers: answers)
    }

    /// Why the content that a client has is not of this room's history; `nil` if it is.
    private func foreign(_ admission: Admission) -> CounterRange.Foreign? {
        guard let origin = admission.origin else {
            return admission.from.map { $0 == 0 ? .nothing : .past }
        }
        if includes(admission.from ?? 0, of: origin) { return nil }
        if admission.from == 0 { return .nothing }
        return origin.room == identity.id ? .past : .room
    }

    /// Whether a revision that a client names is durable and of this room's history.
    package func includes(_ revision: Revision, of origin: Origin) -> Bool {
        revision <= durableRevision && identity.includes(revision, of: origin)
    }

    /// Removes a member. Its queued transactions are still applied; they are answered only if the
    /// same client joins and sends them again.
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
        // It is kept until all transactions that it has sent are applied.
        if member.lastQueued > queue.transactions.takenCount {
            members.retain(member, through: queue.transactions.appendedCount)
        }
        answers.leave(member)
    }

    /// Records the revision that a member says it has. So the horizon may pass older ones. A
    /// revision that is not of this room's history is ignored.
    package func acknowledge(_ revision: Revision, of origin: Origin?, by id: ConnectionID) {
        guard let member = members[id], let origin, includes(revision, of: origin) else { return }
        member.subscription.acknowledge(revision)
    }

    /// A member has read what it was sent, and is ready for more.
    package func ready(_ id: ConnectionID) {
        guard let member = members[id] else { return }
        member.becomeReady()
        enqueue(member)
        if member.listening?.index != nil { listeners.lookAgain(at: member) }
        nearLimits.queue(member)
    }

    package func member(_ id: ConnectionID) -> Member? {
        members[id]
    }

    /// Moves the horizon to what members still need. It moves only between records, as each record
    /// ends with the horizon for the next one.
    ///
    /// The limits of revisions bound which bases members may still use. They never move the horizon
    /// above a revision that a member was sent last, as its next batch begins there. Only the
    /// limits of what is retained do.
    ///
    /// Forgotten entries are swept step by step. The horizon moves again when all are swept.
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

    /// How many journal entries are swept at once. They take half a share of a turn at most.
    private var sweepStep: Int {
        min(RoomPolicy.sweepStep, max(Room.leastSweepStep, budget.stepsPerShare / 8))
    }

    private static let leastSweepStep = 16

    /// Whether forgotten entries, or screens of closed views, are to be freed.
    package var hasUnswept: Bool {
        place.isHere && (state.engine.unsweptCount > 0 || views.hasDiscarded)
    }

    /// Whether screens of closed views are to be freed.
    package var hasDiscardedScreens: Bool { views.hasDiscarded }

    /// Sweeps with what is left of the turn. So a busy room sweeps as fast as it forgets, and an
    /// idle room frees what it has forgotten, too.
    package func sweep() {
        guard hasUnswept else { return }
        let steps = max(budget.allowance, min(budget.left / 2, budget.stepsPerPiece / 2))
        guard steps > 0 else { return }
        let gone = views.hasDiscarded ? views.freeDiscarded(atMost: steps) : 0
        budget.spend(gone)
        guard gone < steps else { return }
        let engine = state.engine
        let (before, nodes) = (engine.stepsTaken, engine.nodeCount)
        let entries = WorkCost.engineUnits(for: steps - gone, among: nodes) / 2
        engine.sweep(atMost: min(RoomPolicy.sweepStep, max(1, entries)))
        budget.spend(WorkCost.engineSteps(engine.stepsTaken &- before, among: nodes))
    }

    /// Whether the room retains more of its past than the policy allows.
    private var isRetainingTooMuch: Bool {
        let engine = state.engine
        return engine.deadNodeCount > policy.maximumDeadNodes
            || engine.retainedBytes > policy.maximumHorizonBytes
            || engine.revision - engine.horizon > policy.maximumRevisions
    }
}
