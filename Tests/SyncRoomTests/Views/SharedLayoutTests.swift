import ModelSupport
import RoomSupport
import SeededRandom
import SyncLayout
import SyncModel
import SyncRoom
import SyncWire
import Testing

/// The layouts that a room keeps for its viewers, and their views after the store has failed.
@Suite("Layouts that viewers share")
struct SharedLayoutTests {
    private let room = Room(RoomState(), opening: .test, handle: 1, policy: RoomPolicy())
    private let flow = LayoutSpec(kind: .flow)
    private let writer = ConnectionID(value: 99)

    private func joinWriter() throws {
        _ = try room.settled.join(Admission(member: writer, client: id("w")))
    }

    /// Receives, applies and appends the writer's next transaction.
    private func submit(_ counter: UInt64, _ operations: [ListOperation]) throws {
        let transaction = ListTransaction(base: counter - 1, operations: operations)
        _ = room.receive(try PackedTransaction(transaction), counter: counter, from: writer)
        room.appended(through: try #require(room.endTurn(wallClockMilliseconds: 0)).sequence)
    }

    private func viewers(_ count: UInt64) throws -> [ConnectionID] {
        try (1...count).map { number in
            let member = ConnectionID(value: number)
            _ = try room.settled.join(
                Admission(member: member, client: id("v\(number)"), viewOnly: true))
            return member
        }
    }

    private func show(
        _ viewer: ConnectionID, _ spec: LayoutSpec, _ size: ListSize, view: ViewNumber = 1
    ) throws {
        try room.settled.show(
            ViewDemand(
                view: view, spec: spec, bounds: ListRect(width: size.width, height: size.height)),
            to: viewer)
    }

    private func updates(at now: UInt64) throws -> [ViewUpdate] {
        var frames: [EncodedFrame] = []
        room.compose(with: MessageEncoder(), at: now) { sent, _ in frames += sent }
        return try frames.compactMap { frame in
            if case .viewUpdate(let update) = try frame.message() { update } else { nil }
        }
    }

    @Test("viewers with the same spec and width share a layout, which goes with the last of them")
    func shared() throws {
        let viewers = try viewers(3)
        let phone = ListSize(width: 375, height: 667)
        try show(viewers[0], flow, phone)
        try show(viewers[1], flow, ListSize(width: 375, height: 812))
        #expect(room.layoutCount == 1, "heights don't matter")
        try show(viewers[1], LayoutSpec(kind: .mosaic), phone, view: 2)
        try show(viewers[2], flow, ListSize(width: 414, height: 667))
        #expect(room.layoutCount == 3)
        // A new width or spec releases the former layout.
        try show(viewers[2], flow, phone)
        #expect(room.layoutCount == 2)
        room.closeView(2, of: viewers[1])
        #expect(room.layoutCount == 1)
        room.leave(viewers[0])
        room.leave(viewers[2])
        #expect(room.layoutCount == 1)
        room.closeView(1, of: viewers[1])
        #expect(room.layoutCount == 0)
    }

    @Test("new layouts of a large room are made one at a time")
    func oneByOne() throws {
        try joinWriter()
        try submit(1, (0..<30).map { .insert("i\($0)") })
        let viewers = try viewers(2)
        for view: ViewNumber in 1...3 {
            for viewer in viewers {
                try show(viewer, flow, ListSize(width: 300, height: 10 * Double(view)), view: view)
            }
        }
        try show(viewers[0], flow, ListSize(width: 200, height: 100), view: 4)
        // Six views share the first one; the second one is not made in the turn of the first.
        #expect(try updates(at: 0).map(\.view) == [1, 2, 3])
        #expect(room.viewsDue == 0, "more is due at once")
        room.ready(viewers[0])
        let others = try (updates(at: 0) + updates(at: 0)).map(\.view)
        #expect(others == [4, 1, 2, 3])
        #expect(room.viewsDue == nil)
    }

    @Test(
        "a view is updated in time, though an earlier view of its client had no update"
    )
    func laterView() throws {
        try joinWriter()
        try submit(1, (0..<30).map { .insert("i\($0)") })
        let viewer = try viewers(1)[0]
        for (view, y, now): (ViewNumber, Double, UInt64) in [(1, 0, 0), (2, 600, 16)] {
            try room.settled.show(
                ViewDemand(view: view, spec: flow, bounds: ListRect(y: y, width: 60, height: 50)),
                to: viewer)
            #expect(try updates(at: now).map(\.view) == [view])
            room.ready(viewer)
        }
        let title = Field(name: id("t"), value: .text("t"))
        try submit(2, (5..<30).map { .update(id("i\($0)"), ItemPatch(set: [title])) })
        #expect(try updates(at: 20).isEmpty && room.viewsDue == 28)
        #expect(try updates(at: 28).isEmpty && room.viewsDue == 44)
        #expect(try updates(at: 44).map(\.view) == [2])
    }

    @Test("after a slow append a view is updated that much sooner")
    func slowLog() throws {
        try joinWriter()
        let viewer = try viewers(1)[0]
        try show(viewer, flow, ListSize(width: 300, height: 100))
        #expect(try updates(at: 90).count == 1)
        room.ready(viewer)
        func receive(_ counter: UInt64, at now: UInt64) throws {
            let insert = ListTransaction(base: 0, operations: [.insert("i\(counter)")])
            _ = room.receive(try PackedTransaction(insert), counter: counter, from: writer)
            room.applyQueued(at: now)
        }
        func record() throws -> UInt64 {
            try #require(room.endTurn(wallClockMilliseconds: 0)).sequence
        }
        try receive(1, at: 100)
        let first = try record()
        try receive(2, at: 108)
        try receive(3, at: 120)
        room.appended(through: first)
        #expect(try updates(at: 124).map(\.revision) == [1])
        room.ready(viewer)
        let second = try record()
        room.appended(through: second)
        // The revision of 108 is seen 28 ms later, though the view was updated meanwhile.
        #expect(try updates(at: 125).isEmpty && room.viewsDue == 136)
        #expect(try updates(at: 136).map(\.revision) == [3])
        room.ready(viewer)
        try receive(4, at: 140)
        room.appended(through: try record())
        // No record was in flight, so the view waits for its whole pause.
        #expect(try updates(at: 140).isEmpty && room.viewsDue == 164)
    }

    @Test(
        "of many viewers those updated longest ago are first, whatever others request meanwhile",
        arguments: UInt64(1)...6)
    func longestAgo(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        try joinWriter()
        let viewers = try viewers(12)
        for viewer in viewers { try show(viewer, flow, ListSize(width: 300, height: 100)) }
        let (eager, patient) = (viewers.prefix(2), viewers.dropFirst(2))
        /// When each viewer is due for the next change.
        var due: [ConnectionID: UInt64] = [:]
        var now: UInt64 = 0
        var waits = 0
        for counter: UInt64 in 1...150 {
            now += UInt64.random(in: 1...9, using: &random)
            try submit(counter, [.insert("i\(counter)")])
            for viewer in eager where Bool.random(using: &random) {
                try room.settled.show(ViewDemand(view: 1, overscan: Double(counter)), to: viewer)
            }
            var told: Set<ConnectionID> = []
            room.compose(with: MessageEncoder(), at: now) { told.formUnion($1.map(\.id)) }
            let last = patient.filter(told.contains).compactMap { due[$0] }.max() ?? 0
            for viewer in patient where !told.contains(viewer) {
                let due = due[viewer] ?? 0
                if due <= now { waits += 1 }
                #expect(due > now || due >= last, "at \(now) one waits since \(due)")
                // All viewers are updated within some ten turns.
                #expect(due + 100 > now, "at \(now) one waits since \(due)")
            }
            for viewer in told {
                due[viewer] = now / 4 * 4 + 28
                room.ready(viewer)
            }
        }
        #expect(waits > 50, "not all are updated at once")
    }

    @Test("new layouts of a large room do not delay viewers with finished ones")
    func manyNewLayouts() throws {
        try joinWriter()
        try submit(1, (0..<30).map { .insert("i\($0)") })
        let viewers = try viewers(50)
        try show(viewers[0], flow, ListSize(width: 300, height: 100))
        #expect(try updates(at: 0).count == 1)
        room.ready(viewers[0])
        for (index, viewer) in viewers.enumerated().dropFirst() {
            try show(viewer, flow, ListSize(width: 300 + Double(index), height: 100))
        }
        var told: [UInt64] = [0]
        var newScreens = 0
        for turn: UInt64 in 1...60 {
            try submit(turn + 1, [.insert("new\(turn)")])
            room.compose(with: MessageEncoder(), at: 10 * turn) { _, members in
                for member in members where member.id == viewers[0] { told.append(turn) }
                newScreens += members.count { $0.id != viewers[0] }
            }
            room.ready(viewers[0])
        }
        #expect(newScreens == 49, "each is made in the end")
        let longest = zip(told, told.dropFirst()).map { $1 - $0 }.max() ?? .max
        // A turn serves three viewers here, and makes one layout.
        #expect(longest < 25, "told in turns \(told)")
    }

    @Test("after the store has failed viewers need not come back, and their views start again")
    func failingStore() throws {
        let viewer = try viewers(1)[0]
        try show(viewer, flow, ListSize(width: 375, height: 667))
        #expect(try updates(at: 0).map(\.isFirst) == [true])
        try joinWriter()
        let insert = ListTransaction(base: 0, operations: [.insert("i")])
        _ = room.receive(try PackedTransaction(insert), counter: 1, from: writer)
        let record = try #require(room.endTurn(wallClockMilliseconds: 0))
        room.appended(through: record.sequence)
        room.ready(viewer)
        #expect(try updates(at: 1).isEmpty && room.viewsDue != nil, "it is not due yet")
        room.suspend()
        #expect(try updates(at: 1000).isEmpty)
        #expect(room.viewsDue == nil)
        let stored = RoomState()
        try stored.apply(record)
        #expect(room.resume(stored, opening: .test(2)).isEmpty)
        #expect(try updates(at: 1000).map(\.isFirst) == [true])
    }
}
