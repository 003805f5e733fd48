import EngineTwin
import SeededRandom
import SyncEngine
import SyncModel

/// An engine whose horizon moves at once and that sweeps what is forgotten one entry at a time, now
/// and then.
final class SlowlyForgettingEngine: CollectionEngine {
    let engine: Engine
    private var random = SplitMix64(seed: 7)

    init() { engine = Engine() }

    private init(_ engine: Engine) { self.engine = engine }

    var revision: Revision { engine.revision }
    var horizon: Revision { engine.horizon }

    func submit(
        _ transaction: ListTransaction, by author: Identifier
    ) throws(Rejection) -> Commit {
        engine.sweep(atMost: random.below(2))
        return try engine.submit(transaction, by: author)
    }

    func advanceHorizon(to revision: Revision) { engine.moveHorizon(to: revision) }
    func snapshot() -> Snapshot { engine.snapshot() }
    func snapshot(at revision: Revision) -> Snapshot? { engine.snapshot(at: revision) }
    func batch(from: Revision, to: Revision) -> Batch? { engine.batch(from: from, to: to) }
    func path(ofItem id: Identifier) -> ItemPath? { engine.path(ofItem: id) }
    func item(at path: ItemPath) -> Item? { engine.item(at: path) }
    func reloaded() throws -> SlowlyForgettingEngine {
        SlowlyForgettingEngine(try engine.reloaded())
    }
    func checkInvariants() { engine.checkInvariants() }
}
