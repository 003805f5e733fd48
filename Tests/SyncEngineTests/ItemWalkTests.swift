import EngineTwin
import SeededRandom
import SyncEngine
import SyncModel
import Testing

/// A walk over items reads what a query asks for, as it was at its revision, piece by piece, while
/// the room goes on.
@Suite struct ItemWalkTests {
    /// An item that was found, with its place.
    private typealias Found = (path: ItemPath, section: Identifier, item: Item)

    /// A walk that is under way.
    private struct Walk {
        var walk: ItemWalk
        let query: ItemQuery
        let expected: [Found]?
        var found: [Found] = []

        /// Reads a piece of random size.
        mutating func goOn(
            _ engine: Engine, _ random: inout SplitMix64
        ) throws(ItemWalk.Fault) -> ItemWalk.Progress {
            var found = found
            defer { self.found = found }
            let limit = query.limit
            return try walk.read(engine, stepLimit: 1 + random.below(30)) {
                found.count >= limit
            } visit: {
                found.append(($0.path, $0.section, $0.item))
            }
        }
    }

    @Test(arguments: UInt64(7300)..<7332)
    func walksEqualTwin(seed: UInt64) throws {
        var generator = HistoryGenerator(seed: seed)
        var random = SplitMix64(seed: seed)
        let player = HistoryPlayer(SlowlyForgettingEngine())
        var walks: [Walk] = []
        var finished = 0
        while player.transactionCount < 150 {
            // The places at a revision are the same in a room that is read again.
            try player.play(generator.next(player.twin))
            let engine = player.tested.engine
            if walks.count < 6 { try walks.append(begin(engine, player.twin, &random)) }
            for index in walks.indices.reversed() where random.chance(50) {
                let revision = walks[index].walk.revision
                do throws(ItemWalk.Fault) {
                    switch try walks[index].goOn(engine, &random) {
                    case .more: continue
                    case .forgotten: #expect(revision < engine.horizon)
                    case .full, .atEnd:
                        check(walks[index], seed)
                        finished += 1
                    }
                } catch {
                    #expect(walks[index].expected == nil, "seed \(seed): \(error)")
                }
                walks.remove(at: index)
            }
        }
        #expect(finished > 0, "seed \(seed)")
    }

    private func check(_ walk: Walk, _ seed: UInt64) {
        guard let expected = walk.expected else {
            Issue.record("seed \(seed): a fault is missing")
            return
        }
        let limited = expected.prefix(walk.query.limit)
        #expect(walk.found.map(\.path) == limited.map(\.path), "seed \(seed)")
        #expect(walk.found.map(\.item) == limited.map(\.item), "seed \(seed)")
        #expect(walk.found.map(\.section) == limited.map(\.section), "seed \(seed)")
    }

    private func begin(
        _ engine: Engine, _ twin: Twin, _ random: inout SplitMix64
    ) throws -> Walk {
        let span = Int(engine.revision - engine.horizon)
        let revision = engine.revision - Revision(random.below(span + 1))
        let snapshot = try #require(twin.snapshot(at: revision))
        let query = try random.itemQuery(for: snapshot)
        return Walk(
            walk: ItemWalk(query, at: revision), query: query,
            expected: ItemWalkTests.expected(query, in: snapshot))
    }

    /// All that a query asks for, naively; `nil` if the room lacks what it names.
    private static func expected(_ query: ItemQuery, in snapshot: Snapshot) -> [Found]? {
        var all: [Found] = []
        for (index, state) in snapshot.sections.enumerated() {
            for (place, item) in state.items.enumerated() {
                all.append((ItemPath(section: index, item: place), state.section.id, item))
            }
        }
        switch query.part {
        case .these(let ids):
            return ids.compactMap { id in all.first { $0.item.id == id } }
        case .page(let section, let after):
            return page(all, section, after, snapshot)
        case .search(let text, let section, let after):
            return page(all, section, after, snapshot)?.filter { found in
                found.item.fields.contains { $0.value.asText.map(text.isIn) ?? false }
            }
        }
    }

    private static func page(
        _ all: [Found], _ section: Identifier?, _ after: Identifier?, _ snapshot: Snapshot
    ) -> [Found]? {
        var page = all
        if let section {
            guard snapshot.sections.contains(where: { $0.section.id == section }) else {
                return nil
            }
            page = page.filter { $0.section == section }
        }
        guard let after else { return page }
        guard let index = page.firstIndex(where: { $0.item.id == after }) else { return nil }
        return Array(page[(index + 1)...])
    }

    /// Pages that begin where the one before has ended are all of the room, and the last one says
    /// so.
    @Test(arguments: UInt64(7400)..<7416)
    func pagesFollowEachOther(seed: UInt64) throws {
        var generator = HistoryGenerator(seed: seed)
        var random = SplitMix64(seed: seed)
        let player = HistoryPlayer(TestedEngine())
        while player.transactionCount < 40 { try player.play(generator.next(player.twin)) }
        let engine = player.tested
        for revision in engine.horizon...engine.revision {
            let snapshot = try #require(player.twin.snapshot(at: revision))
            let limit = 1 + random.below(4)
            var items: [Item] = []
            var after: Identifier?
            while true {
                let query = ItemQuery(.page(in: nil, after: after), limit: limit)
                var walk = ItemWalk(query, at: revision)
                var count = 0
                let progress = try walk.read(engine, stepLimit: .max >> 1) {
                    count == limit
                } visit: {
                    items.append($0.item)
                    count += 1
                }
                #expect(count > 0 || snapshot.sections.allSatisfy(\.items.isEmpty))
                if progress == .atEnd { break }
                #expect(progress == .full && count == limit)
                after = walk.last
            }
            #expect(items == snapshot.sections.flatMap(\.items), "seed \(seed), \(revision)")
        }
    }

    @Test func aPageCostsWhatItReads() throws {
        let room = try TestRoom("main[]")
        let items = (0..<2000).map { ListOperation.insert("i\($0)", .end(of: "main")) }
        for start in stride(from: 0, to: 2000, by: 100) {
            try room.submit("ann", at: room.revision, Array(items[start..<start + 100]))
        }
        func steps(_ part: ItemQuery.Part) throws -> Int {
            var walk = ItemWalk(ItemQuery(part, limit: 10), at: room.revision)
            var count = 0
            _ = try walk.read(room.engine, stepLimit: 1 << 20) {
                count == 10
            } visit: { _ in
                count += 1
            }
            #expect(count == 10)
            return walk.stepsTaken
        }
        let first = try steps(.page(in: nil, after: nil))
        #expect(first < 40)
        #expect(try steps(.page(in: nil, after: "i1500")) <= first + 40)
        // The places of deleted items are not walked over.
        for start in stride(from: 5, to: 1505, by: 100) {
            let deletes = (start..<start + 100).map { ListOperation.delete("i\($0)") }
            try room.submit("ann", at: room.revision, deletes)
        }
        #expect(try steps(.page(in: nil, after: nil)) < 200)
        #expect(try steps(.page(in: nil, after: "i1600")) <= first + 40)
    }
}

extension SearchText {
    /// Whether a text contains it, naively.
    fileprivate func isIn(_ other: String) -> Bool {
        func folded(_ text: String) -> [UInt8] {
            text.utf8.map { (65...90).contains($0) ? $0 + 32 : $0 }
        }
        let (wanted, all) = (folded(text), folded(other))
        guard all.count >= wanted.count else { return false }
        return (0...all.count - wanted.count).contains { start in
            Array(all[start..<start + wanted.count]) == wanted
        }
    }
}

extension SplitMix64 {
    /// A query that mostly names what is there.
    fileprivate mutating func itemQuery(for snapshot: Snapshot) throws -> ItemQuery {
        let items = snapshot.sections.flatMap(\.items)
        let limit = 1 + below(chance(50) ? 4 : 40)
        func id(_ random: inout SplitMix64) -> Identifier {
            random.chance(10) ? "none" : random.pick(items)?.id ?? "none"
        }
        if chance(25) {
            return ItemQuery(.these((0..<below(9)).map { _ in id(&self) }), limit: limit)
        }
        let section = chance(30) ? pick(snapshot.sections)?.section.id ?? "none" : nil
        let after = chance(50) ? id(&self) : nil
        guard chance(50) else { return ItemQuery(.page(in: section, after: after), limit: limit) }
        let texts = items.flatMap { $0.fields.compactMap(\.value.asText) }
        let found = pick(texts).map { chance(50) ? $0.uppercased() : String($0.suffix(1)) }
        let text = try #require(SearchText(found.flatMap { $0.isEmpty ? nil : $0 } ?? "É"))
        return ItemQuery(.search(text, in: section, after: after), limit: limit)
    }
}
