import EngineTwin
import SeededRandom
import SyncEngine
import SyncModel
import Testing

/// A walk reads the room as it was at its revision, part by part, while the room goes on.
@Suite struct RoomWalkTests {
    /// A walk that is under way.
    private struct Walk {
        var walk: RoomWalk
        let expected: Snapshot
        var read: [Snapshot.SectionState] = []

        /// Reads a part of random size.
        mutating func goOn(_ engine: Engine, _ random: inout SplitMix64) -> RoomWalk.Progress {
            var read = read
            defer { self.read = read }
            var left = 1 + random.below(5)
            return walk.read(engine, stepLimit: 1 + random.below(9)) { section in
                read.append(Snapshot.SectionState(section: section))
                left -= 1
                return left > 0
            } item: { item in
                read[read.count - 1].items.append(item)
                left -= 1
                return left > 0
            }
        }
    }

    @Test(arguments: UInt64(7200)..<7232)
    func walksEqualTwin(seed: UInt64) throws {
        var generator = HistoryGenerator(seed: seed)
        var random = SplitMix64(seed: seed)
        let player = HistoryPlayer(SlowlyForgettingEngine())
        var walks: [Walk] = []
        var finished = 0
        while player.transactionCount < 150 {
            let step = generator.next(player.twin)
            try player.play(step)
            // The room that is read again has other nodes.
            if case .reload = step { walks = [] }
            let engine = player.tested.engine
            if walks.count < 6, random.chance(30) {
                try walks.append(begin(engine, player.twin, &random))
            }
            for index in walks.indices.reversed() where random.chance(50) {
                switch walks[index].goOn(engine, &random) {
                case .more: continue
                case .atEnd:
                    #expect(walks[index].read == walks[index].expected.sections, "seed \(seed)")
                    finished += 1
                case .forgotten: #expect(walks[index].walk.revision < engine.horizon)
                }
                walks.remove(at: index)
            }
        }
        #expect(finished > 0, "seed \(seed)")
    }

    private func begin(
        _ engine: Engine, _ twin: Twin, _ random: inout SplitMix64
    ) throws -> Walk {
        let span = Int(engine.revision - engine.horizon)
        // Most begin at one of the last revisions.
        let back = random.chance(70) ? min(span, random.below(4)) : random.below(span + 1)
        let revision = engine.revision - Revision(back)
        let walk = try #require(RoomWalk(engine, at: revision))
        let expected = try #require(twin.snapshot(at: revision))
        #expect(walk.itemCount == expected.sections.reduce(0) { $0 + $1.items.count })
        return Walk(walk: walk, expected: expected)
    }

    @Test func outsideOfTheHorizonThereIsNone() throws {
        let room = try TestRoom("main[a b]")
        var walk = try #require(RoomWalk(room.engine, at: room.revision))
        try room.submit("ann", .delete("a"))
        room.engine.advanceHorizon(to: room.revision)
        let progress = walk.read(room.engine, stepLimit: 100) { _ in
            true
        } item: { _ in
            true
        }
        #expect(progress == .forgotten)
        #expect(RoomWalk(room.engine, at: walk.revision) == nil)
        #expect(RoomWalk(room.engine, at: room.revision + 1) == nil)
    }

    @Test func aPartCostsWhatItReads() throws {
        let room = try TestRoom("main[]")
        let items = (0..<2000).map { ListOperation.insert("i\($0)", .end(of: "main")) }
        for start in stride(from: 0, to: 2000, by: 100) {
            try room.submit("ann", at: room.revision, Array(items[start..<start + 100]))
        }
        var walk = try #require(RoomWalk(room.engine, at: room.revision))
        var parts = 0
        var read = 0
        repeat {
            let before = walk.stepsTaken
            parts += 1
            let progress = walk.read(room.engine, stepLimit: 50) { _ in
                true
            } item: { _ in
                read += 1
                return true
            }
            #expect(walk.stepsTaken - before <= 51)
            if progress == .atEnd { break }
            // Nodes are born and die around the walk's place.
            try room.submit("bob", .insert("x\(parts)", .at(UInt64(read), in: "main")))
            try room.submit("bob", .delete("x\(parts)"))
        } while parts < 1000
        #expect(read == 2000)
        #expect(walk.stepsTaken < 2200 + 2 * parts)
    }
}
