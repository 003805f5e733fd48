import SeededRandom
import SyncEngine
import SyncModel

/// Measures how many edits one room's engine does in a second, on one thread. Every edit is a
/// transaction of its own.
///
/// The transactions are made in advance, in stretches of `stretch`, which are in the caches as if a
/// server had just decoded them. Timed are `Engine.submit`, with `Engine.expect` for the next
/// transactions as a room calls it for queued ones, and the look-ups. The horizon follows at the
/// server's default distance.
struct EngineBenchmark {
    struct Figure {
        var name: String
        var count: Int
        var seconds: Double
        /// The goal, in edits a second.
        var reach: Double
        var perSecond: Double { Double(count) / seconds }
    }

    /// The default of a server.
    private static let horizonDistance: Revision = 10_000
    private static let stretch = 256
    private static let lookUpsAtOnce = 256
    /// How many transactions a server accepts before it moves the horizon.
    static let tick: Revision = 64

    let items: Int
    let edits: Int
    private let engine = Engine()
    private let author: Engine.Author
    private var random: SplitMix64
    private(set) var figures: [Figure] = []

    init(items: Int, edits: Int, seed: UInt64) throws {
        self.items = items
        self.edits = edits
        author = engine.author(Identifier("bench"))
        random = SplitMix64(seed: seed)
    }

    mutating func run() throws {
        try time("insert", items, reach: 1.5e6) { bench, index in
            let place = Placement(
                section: Identifier("main"),
                position: .index(UInt64(bench.random.below(index + 1))))
            return .insert(try EngineBenchmark.item(index), to: place)
        }
        try time("move", edits, reach: 1e6) { bench, _ in
            let place = Placement(
                section: Identifier("main"),
                position: .index(UInt64(bench.random.below(bench.items))))
            return .move(try bench.randomID(), to: place)
        }
        try time("field edit", edits, reach: 3e6) { bench, index in
            let field = Field(name: Identifier("title"), value: .text("edited \(index % 1000)"))
            return .update(try bench.randomID(), ItemPatch(set: [field]))
        }
        try lookUps()
        let order = (0..<items).shuffled(using: &random)
        try time("delete", min(edits, items), reach: 2e6) { _, index in
            .delete(try EngineBenchmark.id(order[index]))
        }
    }

    /// Fills another room and measures how much the process grows. Each transaction is made when it
    /// is needed, so that only the room needs memory.
    static func bytesPerItem(items: Int, seed: UInt64) throws -> Double {
        let engine = Engine()
        let author = engine.author(Identifier("bench"))
        let main = Identifier("main")
        var random = SplitMix64(seed: seed)
        let before = residentBytes()
        for index in 0..<items {
            let place = Placement(section: main, position: .index(UInt64(random.below(index + 1))))
            let transaction = ListTransaction(
                base: engine.revision, operations: [.insert(try item(index), to: place)])
            _ = try engine.submit(try PackedTransaction(transaction), by: author)
            if index % 1000 == 0 { engine.advanceHorizon(to: engine.revision) }
        }
        return Double(residentBytes() - before) / Double(items)
    }

    static func id(_ number: Int) throws -> Identifier {
        try Identifier("i\(number)")
    }

    static func item(_ number: Int) throws -> Item {
        let field = Field(name: Identifier("title"), value: .text("item \(number)"))
        return Item(id: try id(number), content: try ItemContent(fields: [field]))
    }

    private mutating func randomID() throws -> Identifier {
        try EngineBenchmark.id(random.below(items))
    }

    private mutating func time(
        _ name: String, _ count: Int, reach: Double,
        _ make: (inout Self, Int) throws -> ListOperation
    ) throws {
        var seconds = 0.0
        var done = 0
        while done < count {
            let now = min(EngineBenchmark.stretch, count - done)
            var transactions: [PackedTransaction] = []
            transactions.reserveCapacity(now)
            for index in done..<(done + now) {
                let operation = try make(&self, index)
                transactions.append(
                    try PackedTransaction(ListTransaction(base: 0, operations: [operation])))
            }
            let watch = Stopwatch()
            let lead = Engine.readAheadCount
            for transaction in transactions.prefix(lead) { engine.expect(transaction) }
            for index in transactions.indices {
                if index + lead < now { engine.expect(transactions[index + lead]) }
                transactions[index].base = engine.revision
                let commit = try engine.submit(transactions[index], by: author)
                precondition(commit.superseded.isEmpty, "the benchmark's edits all stand")
                if commit.revision % EngineBenchmark.tick == 0 {
                    EngineBenchmark.advanceHorizon(of: engine)
                }
            }
            seconds += watch.seconds
            done += now
        }
        figures.append(Figure(name: name, count: count, seconds: seconds, reach: reach))
    }

    /// Does the work of a server's tick.
    static func advanceHorizon(of engine: Engine) {
        guard engine.revision > horizonDistance else { return }
        engine.advanceHorizon(to: engine.revision - horizonDistance)
    }

    /// Looks up as many items at once as a client's screen and its surroundings have, and single
    /// ones.
    private mutating func lookUps() throws {
        var random = random
        let ids = try (0..<edits).map { _ in try EngineBenchmark.id(random.below(items)) }
        let paths = (0..<edits).map { _ in ItemPath(section: 0, item: random.below(items)) }
        var found = 0
        let many = "\(EngineBenchmark.lookUpsAtOnce) at once"
        timeLookUps("id → index path, \(many)", ids) { engine, ids in
            for path in engine.paths(ofItems: ids) where path != nil { found += 1 }
        }
        timeLookUps("id → index path, one by one", ids) { engine, ids in
            for id in ids where engine.path(ofItem: id) != nil { found += 1 }
        }
        timeLookUps("index path → item, \(many)", paths) { engine, paths in
            for item in engine.items(at: paths) where item != nil { found += 1 }
        }
        timeLookUps("index path → item, one by one", paths) { engine, paths in
            for path in paths where engine.item(at: path) != nil { found += 1 }
        }
        precondition(found == 4 * edits, "every look-up finds something")
    }

    private mutating func timeLookUps<Key>(
        _ name: String, _ keys: [Key], _ lookUp: (Engine, [Key]) -> Void
    ) {
        var seconds = 0.0
        for start in stride(from: 0, to: keys.count, by: EngineBenchmark.lookUpsAtOnce) {
            let some = Array(keys[start..<min(start + EngineBenchmark.lookUpsAtOnce, keys.count)])
            let watch = Stopwatch()
            lookUp(engine, some)
            seconds += watch.seconds
        }
        figures.append(Figure(name: name, count: keys.count, seconds: seconds, reach: 3e6))
    }
}
