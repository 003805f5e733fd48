import SeededRandom
import SyncModel

/// Makes histories of several authors that see the room late, each from its own base, all from one
/// seed.
///
/// A seed also decides the climate: how many authors, ids, sections and guards there are, and how
/// the horizon advances. The generator looks at the twin, so that its authors mostly name what they
/// could know.
package struct HistoryGenerator {
    var random: SplitMix64
    /// Chooses guards. It is not `random`, so that guards do not change the choice of operations.
    var guardRandom: SplitMix64
    /// Updates that set back what earlier ones changed, and are not sent yet.
    var laterSetBacks: [SetBack] = []
    /// The last of them that was sent. A guard is to ask about it.
    var sentSetBack: SetBack?
    private(set) var climate: Climate
    private var authors: [Author]
    private let blindPercent: Int

    /// The settings of a whole history.
    struct Climate {
        let items: [Identifier]
        let sections: [Identifier]
        let targetItems: Int
        let targetSections: Int
        let horizon: HorizonPolicy
        /// How many of a hundred operations have guards.
        let guardPercent: Int
    }

    enum HorizonPolicy {
        case never
        case lag(Revision)
        case jumping
    }

    private struct Author {
        let name: Identifier
        let temper: Temper
        var base: Revision = 0
        var lastInserted: Identifier?
    }

    private enum Temper: CaseIterable {
        /// Is nearly always current.
        case eager
        /// Sends several transactions on one base and is some revisions behind.
        case lagging
        /// Is far behind, often past the horizon.
        case sleeping
    }

    /// - Parameter blindPercent: how many of the transactions with base 0 have seen nothing.
    package init(seed: UInt64, blindPercent: Int = 0) {
        var random = SplitMix64(seed: seed)
        let horizon: HorizonPolicy? = random.pick(weighted: [
            .never: 3, .lag(2): 1, .lag(5): 1, .lag(Revision(6 + random.below(15))): 2, .jumping: 3,
        ])
        var guardRandom = SplitMix64(seed: ~seed)
        climate = Climate(
            items: HistoryGenerator.names("i", 10 + random.below(70)),
            sections: HistoryGenerator.names("s", 3 + random.below(5)),
            targetItems: random.below(42), targetSections: random.below(7),
            horizon: horizon ?? .never, guardPercent: guardRandom.pick([0, 12, 12, 28]) ?? 0)
        authors = HistoryGenerator.names("author", 3 + random.below(4)).map { name in
            Author(name: name, temper: random.pick(Temper.allCases) ?? .lagging)
        }
        self.random = random
        self.guardRandom = guardRandom

        self.blindPercent = blindPercent
    }

    /// Names that differ in a number. `s0` is left out for `main`, which every room begins with.
    private static func names(_ prefix: String, _ count: Int) -> [Identifier] {
        let texts = (0..<count).map { $0 == 0 && prefix == "s" ? "main" : "\(prefix)\($0)" }
        return texts.compactMap { try? Identifier($0) }
    }

    /// The next step for the room of `twin`.
    package mutating func next(_ twin: Twin) -> HistoryStep {
        if let revision = nextHorizon(twin) { return .advanceHorizon(revision) }
        switch random.below(100) {
        case 0: return .reload
        case 1..<7: return comparison(twin)
        default: return submission(twin)
        }
    }

    private mutating func nextHorizon(_ twin: Twin) -> Revision? {
        switch climate.horizon {
        case .never: return nil
        case .lag(let lag):
            guard twin.revision > twin.horizon + lag, random.chance(30) else { return nil }
            return twin.revision - lag
        case .jumping:
            guard random.chance(2) else { return nil }
            // Sometimes below the horizon and sometimes above the revision, where it must not move
            // to.
            return twin.horizon &- 1
                &+ Revision(random.below(Int(twin.revision - twin.horizon) + 3))
        }
    }

    private mutating func comparison(_ twin: Twin) -> HistoryStep {
        let span = Int(twin.revision - twin.horizon)
        if random.chance(4) {
            return .compare(from: twin.revision, to: twin.revision + Revision(random.below(2)))
        }
        if random.chance(4), twin.horizon > 0 {
            return .compare(from: twin.horizon - 1, to: twin.revision)
        }
        let from = twin.horizon + Revision(random.below(span + 1))
        let reach = Int(twin.revision - from)
        let to = random.chance(40) ? reach : random.below(reach + 1)
        return .compare(from: from, to: from + Revision(to))
    }

    // MARK: Transactions

    private mutating func submission(_ twin: Twin) -> HistoryStep {
        let author = random.below(authors.count)
        advanceBase(of: author, twin)
        var base = authors[author].base
        if random.chance(1) {
            base = random.chance(50) ? twin.revision + 1 : Revision(random.below(Int(base) + 1))
        }
        let count =
            random.pick(weighted: [1: 60, 2: 20, 3: 9, 4: 4, 5: 3, 6: 3, 30: 1]) ?? 1
        let isBlind = blindPercent > 0 && base == 0 && random.chance(blindPercent)
        var view = AuthorView(
            seen: twin.snapshot(at: base) ?? twin.snapshot(), now: twin.snapshot(),
            isPastHorizon: isBlind || base < twin.horizon, knownItems: twin.knownItems,
            knownSections: twin.knownSections,
            lastInserted: authors[author].lastInserted)
        let operations = (0..<count).map { _ in operation(&view) }
        authors[author].lastInserted = view.lastInserted
        var transaction = ListTransaction(base: base, operations: operations)
        transaction.hasSeenNothing = isBlind
        return .submit(guarded(transaction, twin), by: authors[author].name)
    }

    private mutating func advanceBase(of author: Int, _ twin: Twin) {
        let base = authors[author].base
        let behind = Int(twin.revision - base)
        switch authors[author].temper {
        case .eager:
            if random.chance(60) { authors[author].base = twin.revision }
        case .lagging:
            if random.chance(30) {
                authors[author].base = base + Revision(random.below(behind + 1))
            }
        case .sleeping:
            if random.chance(4) { authors[author].base = twin.revision }
        }
    }
}

/// What the author of a transaction can name.
struct AuthorView {
    let seen: Snapshot
    let now: Snapshot
    /// Past the horizon nothing is unknown, so ids that nobody knows are no mistake.
    let isPastHorizon: Bool
    let knownItems: [Identifier]
    let knownSections: [Identifier]
    var lastInserted: Identifier?

    var items: [Identifier] { seen.sections.flatMap(\.items).map(\.id) }
    var sections: [Identifier] { seen.sections.map(\.section.id) }

    func section(of item: Identifier) -> Identifier? {
        seen.sections.first { state in state.items.contains { $0.id == item } }?.section.id
    }
}
