import SeededRandom
import SyncTree
import Testing

/// Random operations on two sequences against plain arrays.
@Suite struct OrderTreeTests {
    /// The same sequences as arrays of handles with their liveness.
    struct Model {
        var entries: [[(handle: UInt32, isLive: Bool)]] = [[], []]
    }

    @Test(arguments: UInt64(1)...12)
    func agreesWithArrays(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let tree = OrderTree()
        let sequences = [tree.makeSequence(), tree.makeSequence()]
        var model = Model()
        var free: [UInt32] = []
        var made: UInt32 = 0
        for step in 0..<3000 {
            let which = Int(random.next() % 2)
            let count = model.entries[which].count
            // The sequences grow in some stretches and shrink to nothing in others.
            let isGrowing = step / 400 % 2 == 0
            if count == 0 || random.next() % 10 < (isGrowing ? 7 : 2) {
                let at = random.next() % 4 == 0 ? count : Int(random.next() % UInt64(count + 1))
                let handle = free.popLast() ?? made + 1
                made = max(made, handle)
                let isLive = random.next() % 3 != 0
                let left = at == 0 ? 0 : model.entries[which][at - 1].handle
                tree.insert(handle, after: left, in: sequences[which], isLive: isLive)
                model.entries[which].insert((handle, isLive), at: at)
            } else if random.next() % 3 == 0 {
                let at = Int(random.next() % UInt64(count))
                let isLive = random.next() % 2 == 0
                tree.setLive(model.entries[which][at].handle, isLive)
                model.entries[which][at].isLive = isLive
            } else {
                let at = Int(random.next() % UInt64(count))
                let handle = model.entries[which].remove(at: at).handle
                tree.remove(handle, from: sequences[which])
                #expect(!tree.contains(handle))
                free.append(handle)
            }
            if step % 16 == 0 || count < 6 {
                check(tree, sequences[which], model.entries[which])
            }
        }
    }

    private func check(
        _ tree: OrderTree, _ sequence: UInt32, _ entries: [(handle: UInt32, isLive: Bool)]
    ) {
        tree.checkInvariants(sequence)
        var rank = 0
        var key: UInt64?
        for (at, entry) in entries.enumerated() {
            let position = tree.locate(entry.handle)
            #expect(position.rank == rank)
            if let key { #expect(position.key > key) }
            key = position.key
            #expect(tree.isLive(entry.handle) == entry.isLive)
            #expect(
                tree.next(entry.handle) == (at + 1 < entries.count ? entries[at + 1].handle : 0))
            #expect(tree.previous(entry.handle) == (at > 0 ? entries[at - 1].handle : 0))
            if entry.isLive {
                #expect(tree.select(rank, in: sequence) == entry.handle)
                rank += 1
            }
        }
        #expect(tree.liveCount(sequence) == rank)
        #expect(tree.select(rank, in: sequence) == 0)
        #expect(tree.first(sequence) == entries.first?.handle ?? 0)
        #expect(tree.last(sequence) == entries.last?.handle ?? 0)
        var walked: [UInt32] = []
        tree.forEach(sequence) { handle, _ in walked.append(handle) }
        #expect(walked == entries.map(\.handle))
    }

    @Test func sequencesAreUsedAgain() {
        let tree = OrderTree()
        let first = tree.makeSequence()
        tree.insert(1, after: 0, in: first)
        tree.remove(1, from: first)
        #expect(tree.isEmpty(first))
        tree.removeSequence(first)
        #expect(tree.makeSequence() == first)
    }
}
