import EngineTwin
import SeededRandom
import SyncClient
import SyncModel
import Testing

@Suite struct ReplicaTests {
    /// A replica that applies batches of several revisions of a random history equals the room
    /// after each.
    @Test(arguments: 0..<12) func followsTheRoom(seed: UInt64) throws {
        var generator = HistoryGenerator(seed: seed)
        var random = SplitMix64(seed: seed &+ 1)
        let twin = Twin()
        var replica = Replica(maximumChunk: 3)
        replica.load(twin.snapshot())
        var batches = 0
        for _ in 0..<400 {
            twin.play(generator.next(twin))
            // From here on the replica maintains its index of paths.
            if random.chance(10) { Self.checkPaths(in: &replica, seed) }
            guard let held = replica.revision, twin.revision > held, random.chance(30) else {
                continue
            }
            if let batch = twin.batch(from: held, to: twin.revision) {
                try replica.apply(batch)
                batches += 1
            } else {
                replica.load(twin.snapshot())
            }
            replica.checkInvariants()
            #expect(replica.snapshot == twin.snapshot(), "seed \(seed)")
        }
        #expect(batches > 20, "seed \(seed) makes too few batches to prove anything")
    }

    /// Each id is found at its path, and a missing id is not found.
    private static func checkPaths(in replica: inout Replica, _ seed: UInt64) {
        var paths: [Identifier: ItemPath] = [:]
        for (section, state) in (replica.snapshot?.sections ?? []).enumerated() {
            #expect(replica.sectionIndex(of: state.section.id) == section, "seed \(seed)")
            for (item, content) in state.items.enumerated() {
                paths[content.id] = ItemPath(section: section, item: item)
            }
        }
        for (id, path) in paths { #expect(replica.path(of: id) == path, "seed \(seed)") }
        #expect(replica.path(of: "nobody") == nil)
        #expect(replica.contains("nobody") == false)
        #expect(replica.sectionIndex(of: "nobody") == nil)
    }

    /// A damaged batch is applied or is an error; it never traps.
    @Test(arguments: 0..<12) func survivesWrongBatches(seed: UInt64) throws {
        var generator = HistoryGenerator(seed: seed)
        var random = SplitMix64(seed: seed &+ 2)
        let twin = Twin()
        var held = twin.snapshot()
        var refused = 0
        for _ in 0..<400 {
            twin.play(generator.next(twin))
            guard twin.revision > held.revision, random.chance(30) else { continue }
            if var batch = twin.batch(from: held.revision, to: twin.revision) {
                BatchDamage.apply(to: &batch, &random)
                var replica = Replica(maximumChunk: 3)
                replica.load(held)
                _ = replica.contains(Identifier("i1"))
                do throws(ReplicaError) {
                    try replica.apply(batch)
                    #expect(replica.revision == batch.to)
                } catch {
                    refused += 1
                    #expect(replica.revision == nil)
                    #expect(replica.itemCount == 0)
                }
                replica.checkInvariants()
            }
            held = twin.snapshot()
        }
        #expect(refused > 10, "seed \(seed) makes too few wrong batches to prove anything")
    }

    @Test func takesOnlyTheBatchThatFollows() throws {
        var replica = Replica()
        let batch = Batch(from: 0, to: 1, sections: 0)
        #expect(throws: ReplicaError.wrongRevision(current: nil, from: 0)) {
            try replica.apply(batch)
        }
        replica.load(Snapshot(revision: 4, sections: []))
        #expect(throws: ReplicaError.wrongRevision(current: 4, from: 0)) {
            try replica.apply(batch)
        }
        replica.load(Snapshot(revision: 4, sections: []))
        #expect(throws: ReplicaError.self) {
            try replica.apply(Batch(from: 4, to: 4, sections: 0))
        }
        replica.load(Snapshot(revision: 4, sections: []))
        #expect(throws: ReplicaError.wrongCount(expected: 1, found: 0)) {
            try replica.apply(Batch(from: 4, to: 5, sections: 1))
        }
        replica.load(Snapshot(revision: 4, sections: []))
        try replica.apply(Batch(from: 4, to: 9, sections: 0))
        #expect(replica.revision == 9)
    }

    /// A reload must name an existing item or section: otherwise the two sides mean different
    /// rooms.
    @Test func refusesAnotherThing() throws {
        let main = ListSection(id: Identifier("main"))
        let item = Item(id: Identifier("a"))
        var replica = Replica()
        replica.load(
            Snapshot(
                revision: 1, sections: [Snapshot.SectionState(section: main, items: [item])]))
        var stage = Stage()
        let other = Item(id: Identifier("b"))
        stage.reloads = [Stage.PlacedItem(path: ItemPath(section: 0, item: 0), item: other)]
        #expect(throws: ReplicaError.anotherThing(other.id)) {
            try replica.apply(Batch(from: 1, to: 2, stages: [stage], sections: 1))
        }
    }
}

/// Damages a batch in one place.
enum BatchDamage {
    static func apply(to batch: inout Batch, _ random: inout SplitMix64) {
        guard !batch.stages.isEmpty else {
            batch.sections += 1
            return
        }
        let stage = random.below(batch.stages.count)
        let number = [-1, 0, 1, 2, 7, 1_000_000, Int.max, Int.min][random.below(8)]
        switch random.below(8) {
        case 0: batch.stages[stage].deletes.append(ItemPath(section: 0, item: number))
        case 1: batch.stages[stage].deletes.insert(ItemPath(section: number, item: 0), at: 0)
        case 2:
            let path = ItemPath(section: random.below(3), item: number)
            let end = ItemPath(section: number, item: 0)
            batch.stages[stage].moves.append(Stage.ItemMove(from: path, to: end))
        case 3: batch.stages[stage].deleteSections.append(number)
        case 4:
            batch.stages[stage].moveSections.append(Stage.SectionMove(from: number, to: 0))
        case 5: batch.stages.append(batch.stages[stage])
        case 6: batch.stages.remove(at: stage)
        default: batch.sections &+= number
        }
    }
}
