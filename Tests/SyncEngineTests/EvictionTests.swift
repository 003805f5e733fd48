import EngineTwin
import SeededRandom
import SyncEngine
import SyncModel
import Testing

/// Authors that are evicted and come back, at any time. Each is another author from then on.
@Suite("Evicted authors")
struct EvictionTests {
    @Test("L4: are other authors when they come back, by all merge rules", arguments: 1...120)
    func othersThanBefore(seed: UInt64) throws {
        var generator = HistoryGenerator(seed: seed)
        var random = SplitMix64(seed: seed &* 31)
        var engine = Engine()
        let twin = Twin()
        /// The name of each author in the twin, and how often each was evicted.
        var names: [Identifier: Identifier] = [:]
        var evictions: [Identifier: Int] = [:]
        for _ in 0..<250 {
            switch generator.next(twin) {
            case .advanceHorizon(let revision):
                engine.advanceHorizon(to: revision)
                twin.advanceHorizon(to: revision)
            case .submit(let transaction, let author):
                if random.below(12) == 0, let known = engine.knownAuthor(author) {
                    engine.evict(known)
                    evictions[author, default: 0] += 1
                    names[author] = try Identifier("\(author) \(evictions[author] ?? 0)")
                }
                let mine = Result { try engine.submit(transaction, by: author) }
                let twins = Result {
                    try twin.submit(transaction, by: names[author] ?? author)
                }
                switch (mine, twins) {
                case (.success(let left), .success(let right)): #expect(left == right)
                case (.failure(let left as Rejection), .failure(let right as Rejection)):
                    #expect(left.code == right.code && left.operation == right.operation)
                default: Issue.record("seed \(seed): \(mine), the twin: \(twins)")
                }
            default: break
            }
            #expect(engine.snapshot() == twin.snapshot(), "seed \(seed)")
            if random.below(20) == 0 {
                let image = engine.encodeImage()
                engine = try image.withUnsafeBytes { try Engine(image: $0) }
                #expect(engine.encodeImage() == image, "seed \(seed)")
            }
        }
        engine.checkInvariants()
    }

    @Test("leave their slot to the next author, and neither their number nor memory")
    func slots() throws {
        let engine = Engine()
        let anna = engine.author(Identifier("anna"))
        let bert = engine.author(Identifier("bert"))
        #expect(engine.author(Identifier("anna")) == anna)
        engine.evict(anna)
        #expect(engine.id(of: anna) == nil)
        #expect(engine.knownAuthor(Identifier("anna")) == nil)
        // An author that is withdrawn leaves everything as it was.
        let image = engine.encodeImage()
        let carl = engine.author(Identifier("carl"))
        #expect(carl.slot == anna.slot && carl != anna)
        engine.forget(carl)
        #expect(engine.encodeImage() == image)
        let dora = engine.author(Identifier("dora"))
        #expect(dora.slot == anna.slot && dora != anna)
        #expect(engine.id(of: bert)?.text == "bert")
        let bytes = engine.byteCount
        for number in 0..<10_000 {
            let name = String(repeating: "x", count: 100) + "\(number)"
            engine.evict(engine.author(try Identifier(name)))
        }
        #expect(engine.authorCount == 2)
        #expect(engine.byteCount <= bytes + 1024)
    }
}
