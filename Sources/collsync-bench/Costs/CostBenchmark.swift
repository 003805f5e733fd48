import SeededRandom
import SyncEngine
import SyncModel
import SyncRoom
import SyncWire

/// Measures how long each kind of work of a server's price list (``WorkCost``) takes on this
/// machine.
///
/// The work is done much as a server does it, but alone: most of it on a ``Room``, decoding on a
/// `MessageDecoder`, writing on a socket.
final class CostBenchmark {
    let items: Int
    /// How many times short work is repeated.
    let count: Int
    let room: CostRoom
    /// A room that is just too small to count as large.
    private let warmRoom: CostRoom
    private(set) var random: SplitMix64
    /// The time of an engine step, in nanoseconds.
    private let step: Double

    init(items: Int, rounds: Int, seed: UInt64) throws {
        self.items = items
        count = min(items, 20_000)
        var random = SplitMix64(seed: seed)
        room = try CostRoom(items: items)
        warmRoom = try CostRoom(items: min(items, WorkCost.warmNodes))
        step = try CostBenchmark.nanosecondsPerStep(of: room, count, rounds) {
            random.below($0)
        }
        self.random = random
    }

    /// A number below a limit.
    func below(_ limit: Int) -> Int { random.below(limit) }

    /// The time of an engine step, from transactions at random places without read-ahead.
    private static func nanosecondsPerStep(
        of room: CostRoom, _ count: Int, _ rounds: Int, below: (Int) -> Int
    ) throws -> Double {
        try median(rounds) {
            let transactions = try (0..<count).map { _ in try room.edit(below) }
            let before = room.engine.stepsTaken
            let watch = Stopwatch()
            for transaction in transactions { try room.apply(transaction) }
            let seconds = watch.seconds
            return seconds * 1e9 / Double(room.engine.stepsTaken - before)
        }
    }

    /// The time of one unit of some work.
    func nanoseconds(of cost: WorkCost, rounds: Int) throws -> Double {
        try CostBenchmark.median(rounds) { try max(0, nanoseconds(of: cost)) }
    }

    private func nanoseconds(of cost: WorkCost) throws -> Double {
        switch cost {
        case .engineStep:
            try CostBenchmark.nanosecondsPerStep(of: warmRoom, count, 1, below: below)
        case .coldEngineStep: step
        case .frame, .frameBytes, .message, .request, .messageBytes, .heldRevision, .inflation,
            .inflatedBytes, .checkedBytes, .looseBytes:
            try CostOfReading(count: count).nanoseconds(of: cost)
        case .webRequest, .webBytes, .webLine, .webLineBytes, .webLineValue:
            try CostOfWeb(count: count).nanoseconds(of: cost)
        case .ready, .transaction, .answer, .refusal, .task, .leave, .departure, .opening, .unload,
            .look, .shownItem, .presence, .presenceBytes, .delivery:
            try CostOfMembers(self).nanoseconds(of: cost, step: step)
        case .imageNode, .imageBytes, .snapshotNode, .snapshotBytes, .batchEntry, .batchBytes,
            .deflatedBytes, .readItem, .readDelivery, .element, .goneElement, .layoutStep:
            try CostOfShowing(self).nanoseconds(of: cost)
        case .write, .writtenBytes:
            try CostOfWriting(count: count).nanoseconds(of: cost)
        }
    }

    private static func median(_ rounds: Int, _ measure: () throws -> Double) rethrows -> Double {
        let all = try (0..<rounds).map { _ in try measure() }.sorted()
        return all[all.count / 2]
    }

    /// The time of one call of `body`, in nanoseconds, from `count` calls.
    static func time(_ count: Int, _ body: (Int) throws -> Void) rethrows -> Double {
        let watch = Stopwatch()
        for index in 0..<count { try body(index) }
        return watch.seconds * 1e9 / Double(max(1, count))
    }
}

/// A room of many small items.
final class CostRoom {
    let state = RoomState()
    var engine: Engine { state.engine }
    private let author: Engine.Author
    let items: Int

    /// - Parameter contentBytes: the length of each item's title; `nil` for a short one.
    init(items: Int, contentBytes: Int? = nil) throws {
        self.items = items
        author = state.engine.author(Identifier("bench"))
        let main = Placement(section: Identifier("main"))
        for start in stride(from: 0, to: items, by: 1000) {
            let operations = try (start..<min(items, start + 1000)).map { number in
                ListOperation.insert(
                    try CostRoom.item(number, contentBytes: contentBytes), to: main)
            }
            try apply(
                PackedTransaction(ListTransaction(base: engine.revision, operations: operations)))
        }
        engine.advanceHorizon(to: engine.revision)
    }

    static func item(_ number: Int, contentBytes: Int?) throws -> Item {
        guard let contentBytes else { return try EngineBenchmark.item(number) }
        var random = SplitMix64(seed: UInt64(number))
        let letters = (0..<contentBytes).map { _ in UInt8(97 + random.below(26)) }
        let field = Field(
            name: Identifier("title"), value: .text(String(decoding: letters, as: UTF8.self)))
        return Item(
            id: try EngineBenchmark.id(number), content: try ItemContent(fields: [field]))
    }

    func apply(_ transaction: PackedTransaction) throws {
        _ = try engine.submit(transaction, by: author)
    }

    /// A move or an edit of a random item.
    func edit(_ below: (Int) -> Int) throws -> PackedTransaction {
        let id = try EngineBenchmark.id(below(items))
        let operation: ListOperation
        if below(2) == 0 {
            let place = Placement(
                section: Identifier("main"), position: .index(UInt64(below(items))))
            operation = .move(id, to: place)
        } else {
            let field = Field(name: Identifier("title"), value: .text("edited \(below(1000))"))
            operation = .update(id, ItemPatch(set: [field]))
        }
        return try PackedTransaction(
            ListTransaction(base: engine.revision, operations: [operation]))
    }

    /// A room with this state.
    func makeRoom(budget: TurnBudget = TurnBudget()) -> Room {
        var chance: UInt64 = 0
        let opening = RoomOpening {
            chance += 1
            return chance
        }
        return Room(state, opening: opening, handle: 1, policy: RoomPolicy(), budget: budget)
    }
}
