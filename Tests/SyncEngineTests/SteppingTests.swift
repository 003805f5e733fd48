import EngineTwin
import SeededRandom
import SyncEngine
import SyncModel
import Testing

/// Stepping through old revisions gives the same batches as composing each by itself. Comparing two
/// states by id gives a batch that leads from one to the other.
@Suite struct SteppingTests {
    /// An engine with a random history behind it.
    private func engine(seed: UInt64) throws -> Engine {
        var generator = HistoryGenerator(seed: seed)
        let player = HistoryPlayer(TestedEngine())
        while player.transactionCount < 60 { try player.play(generator.next(player.twin)) }
        return player.tested
    }

    @Test(arguments: UInt64(5000)..<5040)
    func stepsEqualBatchesMadeOneByOne(seed: UInt64) throws {
        let engine = try engine(seed: seed)
        for from in engine.horizon...engine.revision {
            var stepped: [Batch] = []
            engine.forEachBatch(from: from, to: engine.revision) { batch in
                stepped.append(batch)
                return true
            }
            let made = (from..<engine.revision).map { engine.batch(from: $0, to: $0 + 1) }
            #expect(stepped == made, "seed \(seed), from \(from)")
        }
    }

    @Test(arguments: UInt64(5000)..<5040)
    func spansEqualBatchesMadeOneByOne(seed: UInt64) throws {
        let engine = try engine(seed: seed)
        var random = SplitMix64(seed: seed)
        let length = Int(engine.revision - engine.horizon)
        guard length > 0 else { return }
        var spans = (0..<20).map { _ -> (from: Revision, to: Revision) in
            let from = engine.horizon + Revision(random.below(length))
            return (from, from + 1 + Revision(random.below(Int(engine.revision - from))))
        }
        spans.sort { $0.to < $1.to }
        var made: [Batch?] = []
        engine.forEachBatch(over: spans) { batch in
            made.append(batch)
            return true
        }
        #expect(made == spans.map { engine.batch(from: $0.from, to: $0.to) }, "seed \(seed)")
    }

    /// A piece is no longer than its limit, unless it is one revision.
    @Test(arguments: UInt64(5000)..<5020, [1, 20, 200])
    func piecesHaveTheirSize(seed: UInt64, limit: Int) throws {
        let engine = try engine(seed: seed)
        for from in engine.horizon..<engine.revision {
            let (end, steps) = engine.reach(from: from, to: .max, stepLimit: limit)
            #expect(end > from && end <= engine.revision)
            #expect(steps <= limit || end == from + 1, "seed \(seed), \(from) to \(end)")
            #expect(engine.entryCount(from: from, to: end) <= max(steps, 0))
        }
    }

    @Test func steppingStopsWhenTheBodyReturnsFalse() throws {
        let engine = try engine(seed: 5000)
        var count = 0
        engine.forEachBatch(from: engine.horizon, to: .max) { _ in
            count += 1
            return count < 2
        }
        #expect(count == 2)
        engine.forEachBatch(from: engine.revision + 1, to: .max) { _ in
            count += 1
            return true
        }
        #expect(count == 2)
    }

    @Test(arguments: UInt64(6000)..<6040)
    func statesAreComparedById(seed: UInt64) throws {
        let engine = try engine(seed: seed)
        for from in engine.horizon..<engine.revision {
            guard let old = engine.snapshot(at: from) else { continue }
            let new = engine.snapshot()
            let batch = Batch.difference(from: old, to: new)
            #expect(try LegalityChecker.apply(batch, to: old) == new, "seed \(seed), from \(from)")
            // The comparison may choose freely what stays, so it never has more moves.
            let composed = try #require(engine.batch(from: from, to: engine.revision))
            let moves = { (batch: Batch) in batch.stages.reduce(0) { $0 + $1.moves.count } }
            #expect(moves(batch) <= moves(composed))
        }
    }
}
