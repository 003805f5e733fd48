package import EngineTwin
import SeededRandom
import SyncBytes
import SyncEngine
import SyncLayout
import SyncModel
import SyncRoom
import SyncWire

/// Searches for conversations that make a room work much for little.
///
/// A trial consists of bytes, as ``CostTrial`` does: each byte is a choice. Members join, resume
/// from old revisions and leave. They send hostile transactions, open and resize views, and read
/// history; some take their frames slowly. After some of these steps a turn ends: the room's record
/// is made and appended, and the frames for the members are composed. The trial counts the steps of
/// each turn and never measures time.
///
/// 1. A turn takes at most ``Cost/bound`` steps.
package struct RoomCostTrial {
    /// The cost of one turn.
    package struct Cost: Sendable {
        /// The steps of the room, except for encoding what is sent: a client that requests much is
        /// sent much.
        package var steps = 0
        /// The received bytes, with a minimum for each request.
        package var bytes = 0
        package var operations = 0
        package var transactions = 0
        /// How many views were open or requested.
        package var views = 0
        /// The bytes encoded for sending, counted once for all receivers.
        package var madeBytes = 0
        /// How many frames were sent, and to how many members in all.
        package var frames = 0
        package var deliveries = 0
        /// The size of the room: live and dead nodes, entries of its history, and nodes still to be
        /// swept.
        package var room = 0
        package var contentBytes = 0
        /// The most steps that the guards of the transactions may take.
        package var guardSteps = 0

        /// The most steps that such a turn may take:
        ///
        /// - A transaction may take what ``CostTrial/Cost/bound`` says.
        /// - Each frame for each receiver may need a walk through the room, because receivers may
        ///   have different revisions. Its bytes are encoded as well.
        /// - Each view may walk through the whole room a few times, and through its columns in each
        ///   section.
        ///
        /// No other product of two such numbers is in it.
        package var bound: Int {
            let perOperation = CostTrial.stepsPerOperation + contentBytes / 64
            let perTransaction = room * CostTrial.walks
            let perView =
                RoomCostTrial.viewElements + 64 + room * RoomCostTrial.looks
                + (room + 1) * RoomCostTrial.columns / 4
            let merging = operations * perOperation + transactions * perTransaction
            return WorkCost.engineStep.steps(merging + guardSteps) + bytes
                + 2 * frames + deliveries * (2 + 2 * room) + madeBytes / 16 + views * perView + room
                + RoomCostTrial.columns
        }

        /// The steps for each unit of input and room size, which a search maximizes.
        package var severity: Double { Double(steps) / Double(bytes + room) }

        /// The share of the bound that the turn takes.
        package var share: Double { Double(steps) / Double(bound) }
    }

    /// How many times a view may walk through the whole room.
    package static let looks = 2
    static let viewElements = 64
    /// The most columns of a layout.
    private static let columns = 1024

    private static let maximumTurns = 24
    private static let memberCount = 6
    private static let itemCounts = [0, 16, 64, 256, 1024]
    /// The least bytes of a request without a transaction on the wire.
    private static let requestBytes = 8

    /// A client that may be in the room.
    private struct Visitor {
        var id: ConnectionID?
        var counter: UInt64 = 0
        /// The room's identity at the last join.
        var identity: RoomIdentity?
    }

    private var hostile: HostileTransactions
    private let room: Room
    private let budget = TurnBudget()
    private let encoder = MessageEncoder()
    private var visitors = Array(repeating: Visitor(), count: RoomCostTrial.memberCount)
    private var latestID: UInt64 = 0
    private var now: UInt64 = 1000
    private var cost = Cost()
    private var openViews = 0
    /// Members that were sent something and have not taken it.
    private var waiting: [ConnectionID] = []

    package init(_ bytes: [UInt8]) {
        hostile = HostileTransactions(bytes)
        var policy = RoomPolicy()
        policy.horizon = 40
        policy.maximumHorizon = 400
        var limits = WireLimits()
        limits.views = 2
        limits.viewElements = RoomCostTrial.viewElements
        // Then a part has a quarter of this size.
        limits.frameBytes = 1 << 14
        var chance: UInt64 = 0
        let opening = RoomOpening {
            chance += 1
            return chance
        }
        room = Room(
            RoomState(), opening: opening, handle: 1, policy: policy, limits: limits, budget: budget
        )
    }

    /// Plays the trial.
    ///
    /// - Returns: the cost of the turn that took the largest share of its bound.
    /// - Throws: a rule that is broken.
    package mutating func run() throws(Difference) -> Cost? {
        _ = try fill()
        var largest: Cost?
        for _ in 0..<RoomCostTrial.maximumTurns where !hostile.choices.isAtEnd {
            for _ in 0...hostile.choices.below(4) { act() }
            let cost = try endTurn()
            if largest.map({ cost.share > $0.share }) ?? true { largest = cost }
        }
        room.state.engine.checkInvariants()
        return largest
    }

    private mutating func fill() throws(Difference) -> Cost {
        let counts = RoomCostTrial.itemCounts
        hostile.itemCount = counts[hostile.choices.below(counts.count)]
        join(0)
        submit(
            ListTransaction(
                base: 0, operations: HostileTransactions.room(items: hostile.itemCount)),
            by: 0)
        return try endTurn()
    }

    // MARK: Steps of members

    private mutating func act() {
        let visitor = hostile.choices.below(RoomCostTrial.memberCount)
        switch hostile.choices.below(16) {
        case 0, 1, 2, 3, 4, 5:
            if visitors[visitor].id == nil { join(visitor) }
            let engine = room.state.engine
            submit(
                hostile.next(newest: engine.revision, horizon: engine.horizon), by: visitor)
        case 6, 7: join(visitor)
        case 8: leave(visitor)
        case 9, 10, 11: show(to: visitor)
        case 12: readSnapshot()
        case 13: readHistory()
        case 14:
            cost.bytes += RoomCostTrial.requestBytes
            if let id = visitors[visitor].id, let identity = visitors[visitor].identity {
                let revision = revision()
                room.acknowledge(revision, of: identity.origin(of: revision), by: id)
            }
        default: takeAll()
        }
    }

    /// A revision up to the newest one.
    private mutating func revision() -> Revision {
        let newest = room.durableRevision
        let back = hostile.choices.oneIn(3) ? newest : Revision(hostile.choices.below(24))
        return newest - min(newest, back)
    }

    private mutating func join(_ visitor: Int) {
        leave(visitor)
        latestID += 1
        let id = ConnectionID(value: latestID)
        cost.bytes += RoomCostTrial.requestBytes
        let from = hostile.choices.below(2) == 0 ? nil : revision()
        let admission = Admission(
            member: id, connection: latestID,
            client: HostileTransactions.named("author\(visitor)"), from: from,
            everyRevision: hostile.choices.oneIn(4), viewOnly: hostile.choices.oneIn(6),
            origin: from.flatMap { visitors[visitor].identity?.origin(of: $0) },
            counter: visitors[visitor].counter)
        room.applyQueued()
        guard let admittance = try? room.join(admission) else { return }
        visitors[visitor].id = id
        visitors[visitor].identity = admittance.identity
    }

    private mutating func leave(_ visitor: Int) {
        guard let id = visitors[visitor].id else { return }
        cost.bytes += RoomCostTrial.requestBytes
        room.leave(id)
        visitors[visitor].id = nil
        waiting.removeAll { $0 == id }
    }

    private mutating func submit(_ transaction: ListTransaction, by visitor: Int) {
        cost.guardSteps += hostile.guardSteps(of: transaction)
        var transaction = transaction
        // Rooms decide this themselves.
        transaction.hasSeenNothing = false
        guard let id = visitors[visitor].id, let packed = try? PackedTransaction(transaction) else {
            return
        }
        visitors[visitor].counter += 1
        let counter = visitors[visitor].counter
        packed.withView { _ = room.receive($0, counter: counter, from: id) }
        cost.transactions += 1
        cost.operations += packed.traits.operationCount
        cost.bytes += packed.bytes.count
    }

    private mutating func show(to visitor: Int) {
        cost.bytes += RoomCostTrial.requestBytes
        guard let id = visitors[visitor].id else { return }
        let view = ViewNumber(1 + hostile.choices.below(3))
        if hostile.choices.oneIn(8) { return room.closeView(view, of: id) }
        let kinds = LayoutSpec.Kind.allCases
        var demand = ViewDemand(view: view)
        if hostile.choices.below(2) == 0 {
            var spec = LayoutSpec(kind: kinds[hostile.choices.below(kinds.count)])
            if hostile.choices.oneIn(4) {
                spec.options.columnCount = 1 << hostile.choices.below(11)
            }
            demand.spec = spec
        }
        let far = hostile.choices.below(256) * hostile.choices.below(64)
        demand.bounds = ListRect(
            x: 0, y: Double(far), width: Double(40 + hostile.choices.below(8) * 100),
            height: Double(hostile.choices.below(8) * 100))
        cost.views += 1
        room.applyQueued()
        do throws(RoomRefusal) {
            try room.show(demand, to: id)
            openViews = min(openViews + 1, 2 * RoomCostTrial.memberCount)
        } catch {
            // Then it has no such view.
        }
    }

    private mutating func readSnapshot() {
        cost.bytes += RoomCostTrial.requestBytes
        let revision = revision()
        let span = Span(from: Span.Start(), to: revision)
        let engine = room.state.engine
        guard let walk = SnapshotWalk(span, of: engine, on: .request(1), partBytes: 1 << 18) else {
            return
        }
        make(walk.make(from: engine, stepLimit: 1 << 30).frames)
    }

    private mutating func readHistory() {
        cost.bytes += RoomCostTrial.requestBytes
        let from = max(revision(), room.state.engine.horizon)
        let to = min(room.durableRevision, from + Revision(hostile.choices.below(16)))
        guard from < to else { return }
        room.state.engine.forEachBatch(from: from, to: to) { batch in
            make(encoder.encode(batch, on: .request(1), partBytes: 1 << 12))
            return true
        }
    }

    // MARK: Turns

    private mutating func takeAll() {
        let all = waiting
        waiting = []
        for id in all { room.ready(id) }
    }

    private mutating func make(_ frames: [EncodedFrame]) {
        cost.frames += frames.count
        cost.madeBytes += frames.reduce(0) { $0 + $1.plain.count }
    }

    /// The size of the room and of its history.
    private var roomSize: Int {
        let engine = room.state.engine
        return engine.itemCount + engine.sectionCount + engine.deadNodeCount
            + engine.entryCount(from: 0, to: engine.revision) + engine.unsweptCount
    }

    private mutating func endTurn() throws(Difference) -> Cost {
        let before = roomSize
        now += UInt64(hostile.choices.below(64))
        room.applyQueued()
        if let record = room.takeRecord(wallClockMilliseconds: now) {
            room.appended(through: record.sequence)
        }
        room.takeAnswers { _ in }
        room.takeAbsorbed { _ in }
        cost.views += openViews
        room.compose(with: encoder, at: now) { frames, members in
            make(frames)
            cost.deliveries += members.count
            waiting += members.map(\.id)
        }
        if !hostile.choices.oneIn(4) { takeAll() }
        cost.room = max(before, roomSize) + cost.operations
        cost.contentBytes = hostile.largestContent
        cost.steps = budget.spent
        budget.begin(.read)
        defer { cost = Cost() }
        if cost.steps > cost.bound {
            throw Difference("\(cost) is over its bound of \(cost.bound)")
        }
        return cost
    }
}
