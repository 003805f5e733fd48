import ModelSupport
import RoomSupport
import SeededRandom
import SyncLayout
import SyncModel
import SyncRoom
import SyncWire
import Testing

/// How much layout work and memory views may take, whatever their members request.
@Suite struct ViewPaceTests {
    private let writer = ConnectionID(value: 99)

    private func room(items: Int, policy: RoomPolicy = RoomPolicy()) throws -> Room {
        let room = Room(RoomState(), opening: .test, handle: 1, policy: policy)
        _ = try room.settled.join(Admission(member: writer, client: id("w")))
        try submit(1, (0..<items).map { .insert("i\($0)") }, to: room)
        return room
    }

    private func submit(
        _ counter: UInt64, _ operations: [ListOperation], to room: Room
    ) throws {
        let transaction = ListTransaction(base: counter - 1, operations: operations)
        _ = room.receive(try PackedTransaction(transaction), counter: counter, from: writer)
        room.appended(through: try #require(room.endTurn(wallClockMilliseconds: 0)).sequence)
    }

    private func join(
        _ number: UInt64, _ room: Room, holder: Holder = Holder(in: Pots())
    ) throws -> ConnectionID {
        let member = ConnectionID(value: number)
        _ = try room.settled.join(
            Admission(
                member: member, client: id("v\(number)"), viewOnly: true, holder: holder))
        return member
    }

    private func demand(
        _ view: ViewNumber = 1, _ kind: LayoutSpec.Kind = .waterfall, width: Double = 300,
        height: Double = 60
    ) -> ViewDemand {
        ViewDemand(
            view: view, spec: LayoutSpec(kind: kind), bounds: ListRect(width: width, height: height)
        )
    }

    /// Makes the updates that are due, and has everybody take them.
    private func compose(
        _ room: Room, at now: UInt64, isRead: Bool = true
    ) throws -> (updates: [ViewUpdate], errors: [ErrorMessage]) {
        var frames: [EncodedFrame] = []
        var told: [ConnectionID] = []
        room.compose(with: MessageEncoder(), at: now) {
            frames += $0
            told += $1.map(\.id)
        }
        let messages = try frames.map { try $0.message() }
        if isRead { for member in told { room.ready(member) } }
        return (
            messages.compactMap { if case .viewUpdate(let update) = $0 { update } else { nil } },
            messages.compactMap { if case .error(let error) = $0 { error } else { nil } }
        )
    }

    @Test(
        "steps come with time, and an overdraft is waited for", arguments: UInt64(0)..<20)
    func allowance(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var allowance = StepAllowance(stepsPerMillisecond: 10, atOnce: 200)
        var (now, taken, largest): (UInt64, Int, Int) = (1000, 0, 0)
        for _ in 0..<500 {
            now += UInt64.random(in: 0...30, using: &random)
            allowance.refill(at: now)
            if let due = allowance.due(after: now) {
                #expect(due > now)
                var later = allowance
                later.refill(at: due - 1)
                #expect(later.left < 0)
                later.refill(at: due)
                #expect(later.left >= 0)
                continue
            }
            let steps = Int.random(in: 0...900, using: &random)
            largest = max(largest, steps)
            taken += steps
            allowance.take(steps)
            #expect(taken <= 200 + 10 * Int(now - 1000) + largest)
        }
        allowance.take(.max)
        allowance.take(.max)
        allowance.refill(at: .max)
        #expect(allowance.left <= 200)
    }

    @Test("a view that is resized often takes only its share, and shows its last size")
    func resizes() throws {
        let room = try room(items: 400)
        let shared = ViewPace.Shared()
        let small = StepAllowance(stepsPerMillisecond: 10, atOnce: 1000)
        shared.allowance = small
        room.pace(small, shared)
        let (eager, patient) = (try join(1, room), try join(2, room))
        try room.settled.show(demand(1, .flow), to: patient)
        #expect(try compose(room, at: 0).updates.count == 1)
        let before = room.viewSteps
        var shown = 0
        for now: UInt64 in 1...3000 {
            try room.settled.show(demand(width: 200 + Double(now)), to: eager)
            // An update that needs no new layout comes at once.
            try room.settled.show(
                ViewDemand(view: 1, bounds: ListRect(y: Double(now % 500), width: 300, height: 60)),
                to: patient)
            let updates = try compose(room, at: now).updates
            shown += updates.count { $0.number > 1 || $0.view == 1 }
            #expect(room.layoutCount <= 3)
        }
        let steps = room.viewSteps - before
        // A layout of so many items takes some two thousand steps here; scrolling a few each time.
        #expect(steps < 10 * 3000 + 1000 + 10_000 + 3000 * 40, "\(steps)")
        #expect(shown > 50)
        let due = try #require(room.viewsDue)
        #expect(due < 3000 + 3000)
        var widths: [Double] = []
        for _ in 0..<5 {
            let last = try compose(room, at: due + 3000)
            #expect(last.errors.isEmpty)
            widths += last.updates.compactMap(\.contentSize?.width)
        }
        #expect(widths.contains(3200))
        #expect(room.viewsDue == nil && room.layoutCount == 2)
    }

    @Test("a small room does not wait for large rooms of its loop")
    func neighbours() throws {
        let shared = ViewPace.Shared()
        let (small, large) = (try room(items: 10), try room(items: 400))
        for room in [small, large] {
            room.pace(StepAllowance(stepsPerMillisecond: 10, atOnce: 300), shared)
        }
        shared.allowance = StepAllowance(stepsPerMillisecond: 10, atOnce: 100)
        let (one, other) = (try join(1, large), try join(1, small))
        try large.show(demand(), to: one)
        #expect(try compose(large, at: 0).updates.count == 1)
        #expect(shared.allowance.left < 0)
        try small.show(demand(), to: other)
        #expect(try compose(small, at: 0).updates.count == 1, "its own is enough")
        let third = try room(items: 400)
        third.pace(StepAllowance(stepsPerMillisecond: 10, atOnce: 300), shared)
        let last = try join(1, third)
        try third.show(demand(), to: last)
        #expect(try compose(third, at: 0).updates.isEmpty)
        let due = try #require(third.viewsDue)
        #expect(due > 0)
        #expect(try compose(third, at: due).updates.count == 1)
    }

    @Test("a client's large screens come one at a time")
    func largeScreens() throws {
        let room = try room(items: 300)
        let (member, other) = (try join(1, room), try join(2, room))
        for view: ViewNumber in 1...4 {
            try room.settled.show(demand(view, .flow, height: 900), to: member)
        }
        try room.settled.show(demand(1, .flow), to: other)
        var turns: [[ViewNumber]] = []
        for _ in 0..<40 where turns.reduce(0, { $0 + $1.count }) < 5 {
            turns.append(try compose(room, at: 0).updates.filter(\.isFirst).map(\.view))
        }
        #expect(turns.flatMap { $0 }.sorted() == [1, 1, 2, 3, 4])
        #expect(turns.allSatisfy { $0.count < 3 }, "\(turns)")
    }

    @Test("layouts that nobody reads can be dropped and made again")
    func unread() throws {
        let room = try room(items: 60)
        let (reader, idler) = (try join(1, room), try join(2, room))
        try room.settled.show(demand(), to: reader)
        #expect(try compose(room, at: 0).updates.count == 1)
        let own = room.layoutByteCount
        try room.settled.show(demand(width: 500), to: idler)
        #expect(try compose(room, at: 0, isRead: false).updates.count == 1)
        #expect(room.layoutByteCount > own)
        #expect(room.dropUnreadLayouts() > 0 && room.layoutByteCount == own)
        try submit(2, [.insert("new")], to: room)
        room.ready(idler)
        #expect(try compose(room, at: 100).updates.count == 2)
        #expect(room.layoutByteCount > own)
    }

    @Test("layouts beyond a room's limit of bytes are refused, and others stay")
    func layoutBytes() throws {
        var policy = RoomPolicy()
        policy.maximumLayoutBytes = 9000
        let room = try room(items: 60, policy: policy)
        let member = try join(1, room)
        var errors: [ErrorMessage] = []
        for view: ViewNumber in 1...9 {
            try room.settled.show(demand(view, width: 100 * Double(view)), to: member)
            for now: UInt64 in 0..<4 { errors += try compose(room, at: now).errors }
            #expect(room.layoutByteCount <= 9000)
        }
        #expect(!errors.isEmpty && errors.count < 9)
        #expect(errors.allSatisfy { $0.code == .limitExceeded })
    }

    @Test("a connection's views count in all its rooms, read or not")
    func account() throws {
        var limits = Holder.Limits()
        limits.viewBytes = 30_000
        let holder = Holder(in: Pots(), limits: limits)
        let rooms = try (0..<8).map { _ in try room(items: 100) }
        var errors: [ErrorMessage] = []
        for room in rooms {
            let member = try join(7, room, holder: holder)
            try room.settled.show(demand(1, .flow, height: 200), to: member)
            errors += try compose(room, at: 0, isRead: false).errors
            #expect(holder.views.used <= 30_000 + 20_000)
        }
        #expect(!errors.isEmpty && errors.count < 8)
        #expect(errors.allSatisfy { $0.code == .limitExceeded })
        // The error message of a refused view also counts until it is read.
        let shown = rooms.reduce(0) { $0 + $1.viewByteCount }
        #expect(holder.views.used >= shown && holder.views.used <= shown + 100 * errors.count)
        for room in rooms { room.leave(ConnectionID(value: 7)) }
        #expect(holder.views.used == 0)
    }

    @Test("the presence of members is bounded in bytes")
    func presence() throws {
        var policy = RoomPolicy()
        policy.maximumPresenceBytes = 8000
        let room = try room(items: 100, policy: policy)
        let all = (0..<100).map { id("i\($0)") }
        var refused = 0
        for number: UInt64 in 1...5 {
            let member = ConnectionID(value: number)
            _ = try room.settled.join(
                Admission(member: member, client: id("p\(number)"), presence: true))
            do throws(RoomRefusal) {
                try room.settled.present(PresenceState(selected: all), by: member)
            } catch {
                #expect(error.code == .limitExceeded)
                refused += 1
            }
        }
        #expect(refused > 0 && refused < 5)
        #expect(room.presenceByteCount < 8000 + 5 * 600)
        try room.settled.present(PresenceState(selected: [id("i1")]), by: ConnectionID(value: 1))
        for number: UInt64 in 1...5 { room.leave(ConnectionID(value: number)) }
        #expect(room.presenceByteCount == 0)
    }
}
