import SeededRandom
import SyncBytes
import SyncEngine
import SyncLayout
import SyncModel
import SyncRoom
import SyncWire

/// Measures the work for members, without the engine's.
struct CostOfMembers {
    private let benchmark: CostBenchmark
    private let encoder = MessageEncoder()
    /// The number of members in the crowd.
    private var crowd: Int { min(1000, benchmark.count / 10) }

    init(_ benchmark: CostBenchmark) {
        self.benchmark = benchmark
    }

    /// - Parameter step: the time of an engine step.
    func nanoseconds(of cost: WorkCost, step: Double) throws -> Double {
        switch cost {
        case .ready, .delivery, .look, .leave, .presence: try serving(cost)
        case .transaction: try transaction(step)
        case .answer: try answers()
        case .refusal: try refusals()
        case .task: task()
        case .departure: departure()
        case .opening: openings()
        case .unload: CostBenchmark.time(crowd) { _ in _ = emptyRoom().memberCount }
        case .shownItem: try shownItem()
        case .presenceBytes: try presenceBytes()
        default: throw BenchError("\(cost) is nothing about members")
        }
    }

    private func emptyRoom() -> Room {
        var chance: UInt64 = 0
        let opening = RoomOpening {
            chance += 1
            return chance
        }
        return Room(RoomState(), opening: opening, handle: 1, policy: RoomPolicy())
    }

    private func openings() -> Double {
        var rooms: [Room] = []
        return CostBenchmark.time(crowd) { _ in rooms.append(emptyRoom()) }
    }

    private func id(_ number: Int) -> ConnectionID { ConnectionID(value: UInt64(number + 1)) }

    private func join(_ number: Int, _ room: Room, presence: Bool, viewOnly: Bool = false) throws {
        _ = try room.join(
            Admission(
                member: id(number), client: try Identifier("m\(number)"), secret: [1],
                viewOnly: viewOnly, presence: presence))
    }

    /// Sends members what they lack, and confirms that they received it.
    private func settle(_ room: Room, at now: UInt64, members: Int) {
        for _ in 0..<3 {
            room.compose(with: encoder, at: now) { _, _ in }
            for number in 0..<members { room.ready(id(number)) }
        }
    }

    private func commit(_ room: Room) {
        if let record = room.takeRecord(wallClockMilliseconds: 1) {
            room.appended(through: record.sequence)
        }
    }

    // MARK: A crowd

    private func serving(_ cost: WorkCost) throws -> Double {
        let count = crowd
        let room = try CostRoom(items: 1000).makeRoom()
        for number in 0..<count {
            try join(
                number, room, presence: cost == .leave || cost == .presence, viewOnly: cost == .look
            )
            if cost == .look {
                var demand = ViewDemand(
                    view: 1, bounds: ListRect(width: 100, height: 10), overscan: 0)
                demand.spec = LayoutSpec(kind: .waterfall)
                try room.show(demand, to: id(number))
            }
        }
        settle(room, at: 1000, members: count)
        switch cost {
        case .leave: return CostBenchmark.time(count) { room.leave(id($0)) }
        case .look:
            settle(room, at: 2000, members: count)
            return CostBenchmark.time(100) { _ in room.compose(with: encoder, at: 2000) { _, _ in }
            }
                / Double(count)
        case .presence: return try presence(room, among: min(200, count))
        default: break
        }
        let edit = try PackedTransaction(
            ListTransaction(
                base: 0,
                operations: [
                    .insert(
                        try CostRoom.item(5000, contentBytes: nil),
                        to: Placement(section: Identifier("main")))
                ]))
        edit.withView { _ = room.receive($0, counter: 1, from: id(0)) }
        commit(room)
        let delivery =
            CostBenchmark.time(1) { _ in room.compose(with: encoder, at: 3000) { _, _ in } }
            / Double(count)
        if cost == .delivery { return delivery }
        return CostBenchmark.time(count) { room.ready(id($0)) }
    }

    private func presence(_ room: Room, among count: Int) throws -> Double {
        for number in 0..<count {
            let state = PresenceState(selected: [try EngineBenchmark.id(number)])
            try room.present(state, by: id(number))
        }
        var deliveries = 0
        let taken = CostBenchmark.time(1) { _ in
            room.compose(with: encoder, at: 3000) { frames, _ in deliveries += frames.count }
        }
        return taken / Double(max(1, deliveries))
    }

    // MARK: Transactions

    private func transaction(_ step: Double) throws -> Double {
        let room = benchmark.room.makeRoom()
        try join(0, room, presence: false, viewOnly: true)
        let edits = try (0..<benchmark.count).map { _ in
            try benchmark.room.edit(benchmark.below)
        }
        let before = benchmark.room.engine.stepsTaken
        let taken = CostBenchmark.time(edits.count) { index in
            edits[index].withView {
                _ = room.receive($0, counter: UInt64(index + 1), from: id(0))
            }
        }
        room.applyQueued()
        let steps = Double(benchmark.room.engine.stepsTaken - before) / Double(edits.count)
        commit(room)
        room.takeAnswers { _ in }
        room.leave(id(0))
        return taken - steps * step
    }

    private func answers() throws -> Double {
        let room = try CostRoom(items: 1000).makeRoom()
        try join(0, room, presence: false, viewOnly: true)
        let edit = try PackedTransaction(
            ListTransaction(
                base: 0, operations: [.update(try EngineBenchmark.id(1), ItemPatch())]))
        for counter in 1...UInt64(benchmark.count) {
            edit.withView { _ = room.receive($0, counter: counter, from: id(0)) }
        }
        guard let record = room.takeRecord(wallClockMilliseconds: 1) else {
            throw BenchError("a room keeps what was committed")
        }
        var writer = ByteWriter()
        let taken = CostBenchmark.time(1) { _ in
            room.appended(through: record.sequence)
            room.takeAnswers { answers in
                for answer in answers {
                    writer.writeAckFrame(room: 1, counter: answer.counter, revision: 1)
                }
            }
        }
        return taken / Double(benchmark.count)
    }

    /// Members by turns delete what never was. There are more refusals than a room remembers, so
    /// old ones are evicted. The time includes the transaction and the answer.
    private func refusals() throws -> Double {
        let room = try CostRoom(items: 1000).makeRoom()
        for number in 0..<crowd { try join(number, room, presence: false, viewOnly: true) }
        let deletion = try PackedTransaction(
            ListTransaction(base: 0, operations: [.delete(Identifier("unknown"))]))
        let rounds = UInt64(max(1, benchmark.count / crowd))
        let taken = CostBenchmark.time(1) { _ in
            for counter in 1...rounds {
                for number in 0..<crowd {
                    deletion.withView {
                        _ = room.receive($0, counter: counter, from: id(number))
                    }
                }
                room.applyQueued()
                room.takeAnswers { answers in
                    for answer in answers {
                        guard case .rejected(let rejection) = answer.outcome else { continue }
                        let reject = Reject(room: 1, counter: answer.counter, rejection: rejection)
                        _ = encoder.encode(.reject(reject)).plain
                    }
                }
            }
        }
        return taken / Double(rounds * UInt64(crowd))
    }

    // MARK: Other

    /// Deferred work is a closure that finds its connection by number, and marks it as heard.
    private func task() -> Double {
        final class Place {
            var heard = 0
        }
        var places: [ConnectionID: Place] = [:]
        for number in 0..<crowd { places[id(number)] = Place() }
        var waiting: [() -> Void] = []
        let count = benchmark.count
        return CostBenchmark.time(1) { _ in
            for number in 0..<count {
                let id = id(number % max(1, crowd))
                waiting.append { places[id]?.heard += 1 }
            }
            for work in waiting { work() }
        } / Double(count)
    }

    private func departure() -> Double {
        CostBenchmark.time(benchmark.count) { _ in
            let error = ErrorMessage(.roomDeleted, "the room was deleted", about: .room(1))
            _ = encoder.encode(.error(error)).plain
        }
    }

    private func shownItem() throws -> Double {
        let room = benchmark.room.makeRoom()
        try join(0, room, presence: true, viewOnly: true)
        let count = min(1000, benchmark.count)
        let states = try (0..<20).map { _ in
            PresenceState(
                selected: try (0..<count).map { _ in
                    try EngineBenchmark.id(benchmark.below(benchmark.items))
                })
        }
        let taken = try CostBenchmark.time(states.count) { try room.present(states[$0], by: id(0)) }
        room.leave(id(0))
        return taken / Double(count)
    }

    private func presenceBytes() throws -> Double {
        let state = PresenceState(selected: try (0..<1000).map { try EngineBenchmark.id($0) })
        var update = PresenceUpdate(room: 1, client: Identifier("m"), user: "")
        update.state = state
        var bytes = 0
        let taken = CostBenchmark.time(50) { _ in
            bytes += encoder.encode(.presenceUpdate(update)).plain.count
        }
        return taken / Double(bytes / 50)
    }
}
