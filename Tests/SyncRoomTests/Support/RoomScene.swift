import EngineTwin
import ModelSupport
import RoomSupport
import SeededRandom
import SyncBytes
import SyncEngine
import SyncModel
import SyncRoom
import SyncWire
import Testing

/// A room without a server, with members that follow it by their frames.
final class RoomScene {
    let room: Room
    let budget: TurnBudget
    private let encoder = MessageEncoder()
    private(set) var viewers: [ConnectionID: Viewer] = [:]
    private var counter: UInt64 = 0
    private var clients: UInt64 = 0
    /// Every frame that was sent, once.
    private var frames: [ObjectIdentifier: EncodedFrame] = [:]
    /// The time, in milliseconds.
    private var now: UInt64 = 0
    private(set) var loanCount = 0
    private(set) var mostChunkBytes = 0
    private(set) var longestTurn = 0
    /// Whether there is a worker.
    var hasWorker = true

    struct Viewer {
        var snapshot: Snapshot?
        var takesNothing = false
        var isReady = true
        var frameCount = 0
        /// How many snapshots began.
        var snapshotCount = 0
        fileprivate var parts = SnapshotAssembler()
        fileprivate var batches = BatchAssembler()
    }

    init(
        turnSteps: Int, policy: RoomPolicy = RoomPolicy(), pots: Pots = Pots(),
        state: RoomState = RoomState()
    ) {
        budget = TurnBudget(stepsPerTurn: turnSteps)
        room = Room(
            state, opening: .test, handle: 1, policy: policy, budget: budget,
            accounts: RoomAccounts(in: pots, policy))
        room.lends = true
    }

    /// How many bytes were encoded for members.
    var madeBytes: Int { frames.values.reduce(0) { $0 + $1.plain.count } }

    // MARK: Steps

    /// Commits a transaction as one revision.
    func commit(_ operations: [ListOperation]) throws {
        let author =
            room.member(ConnectionID(value: 1)) == nil ? try join() : ConnectionID(value: 1)
        counter += 1
        budget.begin(.read)
        let base = room.state.engine.revision
        let packed = try PackedTransaction(ListTransaction(base: base, operations: operations))
        _ = room.receive(packed, counter: counter, from: author)
        room.applyQueued(at: now)
        var record = room.takeRecord(wallClockMilliseconds: 0)
        while record == nil {
            budget.begin(.read)
            lend()
            room.applyQueued(at: now)
            record = room.takeRecord(wallClockMilliseconds: 0)
        }
        room.appended(through: try #require(record).sequence)
        room.takeAnswers { _ in }
        while room.hasUnswept {
            budget.begin(.read)
            room.sweep()
        }
    }

    /// Adds a member whose client has a snapshot of the room, if any.
    func join(
        holding held: Snapshot? = nil, encoding: FrameEncoding = .plain,
        holder: Holder = Holder(in: Pots())
    ) throws -> ConnectionID {
        clients += 1
        let member = ConnectionID(value: clients)
        _ = try room.join(
            Admission(
                member: member, client: id("client\(clients)"), secret: [1], from: held?.revision,
                viewOnly: clients == 1, encoding: encoding, holder: holder,
                origin: held.flatMap { room.identity.origin(of: $0.revision) }))
        viewers[member] = Viewer(snapshot: held)
        return member
    }

    func pause(_ member: ConnectionID, _ takesNothing: Bool = true) {
        viewers[member]?.takesNothing = takesNothing
    }

    /// Plays one turn: members are sent what they lack, and take it.
    func turn() throws {
        now += 10
        for (member, viewer) in viewers.sorted(by: { $0.key.value < $1.key.value })
        where !viewer.isReady && !viewer.takesNothing {
            viewers[member]?.isReady = true
            room.ready(member)
        }
        budget.begin(.read)
        budget.begin(.compose)
        var deliveries: [(frames: [EncodedFrame], members: [Member])] = []
        room.compose(with: encoder, at: now) { deliveries.append(($0, $1)) }
        mostChunkBytes = max(mostChunkBytes, room.chunkBytes)
        longestTurn = max(longestTurn, budget.spent)
        for delivery in deliveries {
            for frame in delivery.frames { frames[ObjectIdentifier(frame)] = frame }
            for member in delivery.members { try take(delivery.frames, for: member.id) }
        }
        if hasWorker { lend() }
    }

    /// Plays turns until all these members have the room's durable revision.
    ///
    /// - Returns: how many turns that took.
    @discardableResult
    func run(until members: [ConnectionID], limit: Int = 5000) throws -> Int {
        for turns in 0..<limit {
            if members.allSatisfy({ viewers[$0]?.snapshot?.revision == room.durableRevision }) {
                return turns
            }
            try turn()
        }
        Issue.record("members do not catch up")
        return limit
    }

    private func lend() {
        guard let loan = room.lend(at: now) else { return }
        loanCount += 1
        loan.work()
        room.takeBack(loan, at: now, taking: 0)
        guard loan.hasRest else { return }
        loan.finish()
        room.conclude(loan)
    }

    private func take(_ frames: [EncodedFrame], for member: ConnectionID) throws {
        var viewer = try #require(viewers[member])
        viewer.isReady = false
        for frame in frames {
            viewer.frameCount += 1
            switch try frame.message() {
            case .snapshot(let part):
                if part.isFirst { viewer.snapshotCount += 1 }
                if let snapshot = try viewer.parts.add(part) { viewer.snapshot = snapshot }
            case .batch(let message):
                guard let batch = try viewer.batches.add(message) else { break }
                viewer.snapshot = try LegalityChecker.apply(
                    batch, to: try #require(viewer.snapshot))
            default: Issue.record("a member gets an unexpected message")
            }
        }
        viewers[member] = viewer
    }

    // MARK: Checks

    /// Checks that these members have the content of the room.
    func check(_ members: [ConnectionID]) {
        let expected = room.state.engine.snapshot()
        for member in members { #expect(viewers[member]?.snapshot == expected) }
    }

    /// Inserts with texts of some length that deflating hardly shortens.
    func inserts(_ names: some Sequence<String>, bytes: Int) throws -> [ListOperation] {
        try names.map { name in
            var random = SplitMix64(seed: UInt64(name.utf8.reduce(7) { $0 &* 31 &+ Int($1) }))
            let letters = (0..<bytes).map { _ in UInt8(48 + random.below(64)) }
            let text = Field(name: id("t"), value: .text(String(decoding: letters, as: UTF8.self)))
            let item = Item(id: id(name), content: try ItemContent(fields: [text]))
            return .insert(item, to: Placement(section: id("main")))
        }
    }
}
