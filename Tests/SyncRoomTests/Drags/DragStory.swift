import EngineTwin
import LayoutTwin
import RoomSupport
import SeededRandom
import SyncEngine
import SyncLayout
import SyncModel
import SyncRoom
import SyncWire
import Testing

/// A room with one writer and members that drag items in their views, from one seed. Some drags are
/// shared, some are cancelled, and some lose their item, its flag `movable` or their member. After
/// every update each screen is compared with a fresh layout of the room in which every dragged item
/// is dropped. Each target is compared with what lies under the point.
final class DragStory {
    let room: Room
    private let encoder = MessageEncoder()
    private let writer = ConnectionID(value: 1)
    var random: SplitMix64
    var numbers: RandomNumbers
    var members: [DraggingTwin] = []
    /// All drags, in the order in which they began.
    var drags: [DraggingTwin.Drag] = []
    private var lastMember: UInt64 = 1
    private var counter: UInt64 = 0
    var lastItem = 0
    private var records: [UInt64] = []
    private var snapshots: [Revision: Snapshot] = [:]
    private var milliseconds: UInt64 = 0
    var events = Events()

    /// Counts of what happened, which prove that the story tests something.
    struct Events {
        var updates = 0, targets = 0, landings = 0, losses = 0, unclear = 0
    }

    init(seed: UInt64) throws {
        random = SplitMix64(seed: seed)
        numbers = RandomNumbers(seed: seed, hostile: false)
        var policy = RoomPolicy()
        // Nobody runs out of shared drags.
        policy.maximumSharedDrags = 1000
        room = Room(RoomState(), opening: .test, handle: 1, policy: policy)
        _ = try room.settled.join(Admission(member: writer, client: Identifier("writer")))
        for _ in 0..<6 { try edit() }
        settleLog()
        for _ in 0..<3 { try join() }
    }

    /// Plays the story.
    ///
    /// - Returns: what went wrong, in words.
    func play(steps: Int) throws -> String? {
        for _ in 0..<steps {
            switch random.below(14) {
            case 0, 1: try edit()
            case 2: endTick()
            case 3: appendSome()
            case 4: try scroll()
            case 5, 6: try begin()
            case 7...9: try update()
            case 10...12: try drop()
            default: try random.chance(30) ? replaceMember() : cancel()
            }
            if let member = random.pick(members), random.chance(70), let problem = take(member) {
                return problem
            }
            if random.chance(75), let problem = try compose() { return problem }
        }
        if let problem = try rest(while: "dragging") { return problem }
        for drag in drags where drag.landing == nil { try cancel(drag) }
        return try rest(while: "back")
    }

    /// Lets everything finish, and checks all screens once more.
    private func rest(while state: String) throws -> String? {
        settleLog()
        for _ in 0..<10_000 {
            if let problem = try compose() { return problem }
            let waiting = members.filter { !$0.inbox.isEmpty }
            for member in waiting {
                if let problem = take(member) { return problem }
            }
            guard waiting.isEmpty, room.viewsDue == nil else { continue }
            for member in members {
                if let problem = try difference(member.view, of: member, isWhole: true) {
                    return "\(state), in the end: \(problem)"
                }
                if !member.lost.isEmpty { return "\(member.lost) are over, and it was not told" }
            }
            return nil
        }
        return "updates don't come to an end"
    }

    // MARK: The room

    func endTick() {
        if let record = room.endTurn(wallClockMilliseconds: 0) { records.append(record.sequence) }
    }

    func appendSome() {
        guard !records.isEmpty else { return }
        room.appended(through: records.removeFirst())
        _ = room.takeAnswers()
    }

    private func settleLog() {
        endTick()
        while !records.isEmpty { appendSome() }
    }

    private func edit() throws {
        let engine = room.state.engine
        let snapshot = try #require(engine.snapshot(at: engine.revision))
        counter += 1
        let transaction = ListTransaction(
            base: snapshot.revision, operations: [try operation(snapshot)])
        _ = room.receive(try PackedTransaction(transaction), counter: counter, from: writer)
        room.applyQueued()
    }

    // MARK: Members

    private func join() throws {
        lastMember += 1
        let id = ConnectionID(value: lastMember)
        _ = try room.settled.join(
            Admission(
                member: id, connection: lastMember, client: try Identifier("c\(lastMember)"),
                viewOnly: true))
        let input = RandomLayoutInput(using: &numbers)
        let member = DraggingTwin(id, ViewerTwin(1, input.spec, input.environment, input.bounds))
        try room.settled.show(member.view.demand, to: id)
        members.append(member)
    }

    private func replaceMember() throws {
        guard let index = members.indices.randomElement(using: &random) else { return }
        let member = members.remove(at: index)
        room.leave(member.id)
        drags.removeAll { $0.owner === member }
        try join()
    }

    private func scroll() throws {
        guard let member = random.pick(members) else { return }
        if random.chance(20) {
            member.view.bounds.height = numbers.usual(50...600)
        } else {
            member.view.bounds.y = numbers.usual(-50...800)
        }
        try room.settled.show(member.view.demand, to: member.id)
    }

    private func take(_ member: DraggingTwin) -> String? {
        let shifts = member.inbox.compactMap(\.shift)
        let hadSome = !member.inbox.isEmpty
        if let problem = member.take() { return problem }
        for drag in drags where drag.owner === member {
            for shift in shifts { drag.point? += shift }
        }
        if hadSome { room.ready(member.id) }
        return nil
    }

    // MARK: Updates

    func durableSnapshot() throws -> Snapshot {
        let durable = room.durableRevision
        if let known = snapshots[durable] { return known }
        let snapshot = try #require(room.state.engine.snapshot(at: durable))
        snapshots[durable] = snapshot
        return snapshot
    }

    private func compose() throws -> String? {
        milliseconds += UInt64(random.below(40))
        settle(in: try durableSnapshot())
        var told: [(member: DraggingTwin, frame: EncodedFrame)] = []
        room.compose(with: encoder, at: milliseconds) { frames, members in
            for member in self.members where members.contains(where: { $0.id == member.id }) {
                told += frames.map { (member, $0) }
            }
        }
        room.ready(writer)
        for drag in drags {
            drag.formerTarget = drag.target
            drag.isTargetNew = false
        }
        var updates: [(member: DraggingTwin, update: ViewUpdate)] = []
        var isToldOnly: Set<ConnectionID> = []
        for (member, frame) in told {
            switch try frame.message() {
            case .viewUpdate(let update): updates.append((member, update))
            case .dragTarget(let message):
                if let problem = take(message, by: member) { return problem }
                isToldOnly.insert(member.id)
            case .error(let error):
                guard case .drag(let number, _) = error.subject, member.lost.remove(number) != nil
                else {
                    return "a member is told an error: \(error)"
                }
                isToldOnly.insert(member.id)
            default: return "a member is told something else"
            }
        }
        for (member, update) in updates {
            isToldOnly.remove(member.id)
            if let problem = try send(update, to: member) { return problem }
        }
        for id in isToldOnly { room.ready(id) }
        return nil
    }

    private func take(_ message: DragTarget, by member: DraggingTwin) -> String? {
        let drag = drags.last { $0.owner === member && $0.number == message.number }
        guard let drag, drag.landing == nil, message.update == drag.update else {
            return "a target of drag \(message.number), update \(message.update)"
        }
        events.targets += 1
        drag.target = message.target
        drag.isTargetNew = drag.update > drag.toldUpdate ?? 0
        drag.toldUpdate = message.update
        return nil
    }

    /// Checks an update as a member sees it that asks for nothing meanwhile, and sends it.
    private func send(_ update: ViewUpdate, to member: DraggingTwin) throws -> String? {
        events.updates += 1
        var after = member.view
        if let problem = after.take(update) { return problem }
        member.inbox.append(update)
        let problem = try difference(
            after, of: member, isWhole: !update.hasMore, shift: update.shift ?? ListPoint())
        return problem.map { "update \(update.number) at \(update.revision): \($0)\n\(after.spec)" }
    }
}
