import SeededRandom
import SyncEngine
import SyncModel

/// Composes one batch over many touched nodes of a large room.
struct BatchBenchmark {
    private let engine = Engine()
    private let items: Int
    private var random: SplitMix64

    init(items: Int, seed: UInt64) throws {
        self.items = items
        random = SplitMix64(seed: seed)
        let author = engine.author(Identifier("bench"))
        let main = Identifier("main")
        for start in stride(from: 0, to: items, by: 1000) {
            let operations = try (start..<min(items, start + 1000)).map {
                ListOperation.insert(
                    try EngineBenchmark.item($0), to: Placement(section: main))
            }
            _ = try engine.submit(
                ListTransaction(base: engine.revision, operations: operations), by: author)
        }
        engine.advanceHorizon(to: engine.revision)
    }

    /// The seconds to compose the batch over `count` edits: moves, field edits, deletes and inserts
    /// by turns.
    mutating func seconds(touching count: Int) throws -> Double {
        let author = engine.author(Identifier("bench"))
        let main = Identifier("main")
        engine.advanceHorizon(to: engine.revision)
        let base = engine.revision
        for edit in 0..<count {
            let operation: ListOperation
            let place = Placement(
                section: main, position: .index(UInt64(random.below(engine.itemCount))))
            let path = ItemPath(section: 0, item: random.below(engine.itemCount))
            guard let item = engine.item(at: path) else {
                throw BenchError("the room has fewer items than it says")
            }
            switch edit % 4 {
            case 0: operation = .move(item.id, to: place)
            case 1:
                let field = Field(name: Identifier("title"), value: .text("edited"))
                operation = .update(item.id, ItemPatch(set: [field]))
            case 2: operation = .delete(item.id)
            default:
                operation = .insert(
                    Item(id: try Identifier("n\(base)-\(edit)")), to: place)
            }
            _ = try engine.submit(
                ListTransaction(base: engine.revision, operations: [operation]), by: author)
        }
        let watch = Stopwatch()
        guard let batch = engine.batch(from: base, to: engine.revision), !batch.stages.isEmpty
        else {
            throw BenchError("there is no batch")
        }
        return watch.seconds
    }
}
