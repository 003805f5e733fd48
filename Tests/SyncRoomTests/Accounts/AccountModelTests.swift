import SeededRandom
import Testing

@testable import SyncRoom

@Suite("Accounts against a plain model")
struct AccountModelTests {
    /// A tree of accounts and its charges, as plain lists.
    private struct Model {
        struct Node {
            var limit: Int
            var parent: Int?
            var share: Share?
        }

        struct Held {
            var node: Int
            var kind: MemoryKind?
            var isPart: Bool
            var count: Int
        }

        var nodes: [Node] = []
        var held: [Held] = []

        func held(in node: Int) -> Int {
            held.reduce(0) { sum, one in
                if one.isPart, nodes[node].parent == nil { return sum }
                var place: Int? = one.node
                while let current = place {
                    if current == node { return sum + one.count }
                    place = nodes[current].parent
                }
                return sum
            }
        }

        /// Whether the account can reserve `more` items one after the other. The last one has the
        /// strictest limit.
        func fits(_ more: Int, in node: Int) -> Bool {
            if more > 0 { return held(in: node) + more <= most(of: node, with: more - 1) }
            let isFull = held(in: node) > nodes[node].limit
            return !isFull && nodes[node].parent.map { fits(0, in: $0) } ?? true
        }

        /// The most that an account may use once it and its ancestors have `more` in use.
        private func most(of node: Int, with more: Int) -> Int {
            guard let parent = nodes[node].parent else { return nodes[node].limit }
            let free = max(0, most(of: parent, with: more) - held(in: parent) - more)
            guard let share = nodes[node].share else {
                return min(nodes[node].limit, held(in: node) + more + free)
            }
            return min(nodes[node].limit, (share == .ofBytes ? 8 : 1) * free)
        }

        var figures: MemoryFigures {
            var figures = MemoryFigures()
            for one in held where !one.isPart {
                if let kind = one.kind { figures[kind] += one.count }
            }
            return figures
        }
    }

    /// A random tree of accounts, and its model.
    private struct Trial {
        var random: SplitMix64
        var model = Model()
        let limit: Int
        var accounts: [Account]
        let tally: Tally
        var charges: [Charge] = []

        init(seed: UInt64) {
            random = SplitMix64(seed: seed)
            limit = Int.random(in: 1...5000, using: &random)
            let pot = Account(memoryLimit: limit)
            accounts = [pot]
            tally = Tally(of: pot)
            model.nodes.append(Model.Node(limit: limit))
            for _ in 0..<Int.random(in: 1...12, using: &random) { addAccount() }
        }

        private mutating func addAccount() {
            let parent = Int.random(in: 0..<accounts.count, using: &random)
            let own =
                Bool.random(using: &random) ? 1 << 30 : Int.random(in: 1...limit, using: &random)
            let share = [nil, Share.ofBytes, .ofPlaces].randomElement(using: &random) ?? nil
            model.nodes.append(Model.Node(limit: own, parent: parent, share: share))
            accounts.append(Account(limit: own, in: accounts[parent], share: share))
        }

        mutating func step() {
            let node = Int.random(in: 0..<accounts.count, using: &random)
            let most = Int.random(in: 1...limit, using: &random)
            let count = Int.random(in: 0...most, using: &random)
            switch Int.random(in: 0..<7, using: &random) {
            case 0: reserve(count, in: node)
            case 1: charge(count, in: node)
            default: change(to: count, or: node)
            }
            if Bool.random(using: &random) { tally.settle() }
        }

        private mutating func reserve(_ count: Int, in node: Int) {
            let kind = MemoryKind.allCases.randomElement(using: &random)
            let fits = model.fits(count, in: node)
            let charge = accounts[node].reserve(count, as: kind, on: tally)
            #expect((charge != nil) == fits)
            guard let charge else { return }
            charges.append(charge)
            model.held.append(Model.Held(node: node, kind: kind, isPart: false, count: count))
        }

        private mutating func charge(_ count: Int, in node: Int) {
            let kind = MemoryKind.allCases.randomElement(using: &random)
            let isPart = Bool.random(using: &random) && node > 0
            let charge = Charge(in: accounts[node], as: kind, isPart: isPart, on: tally)
            charge.change(to: count)
            charges.append(charge)
            model.held.append(Model.Held(node: node, kind: kind, isPart: isPart, count: count))
        }

        private mutating func change(to count: Int, or node: Int) {
            guard let index = charges.indices.randomElement(using: &random) else { return }
            let held = model.held[index]
            switch Int.random(in: 0..<5, using: &random) {
            case 0:
                charges[index].change(to: count)
                model.held[index].count = count
            case 1:
                tally.settle()
                let more = count - held.count
                let fits = more <= 0 || model.fits(more, in: held.node)
                #expect(charges[index].reserve(count) == fits)
                if fits { model.held[index].count = count }
            case 2:
                guard held.node != 0, node != 0 else { return }
                charges[index].move(to: accounts[node])
                model.held[index].node = node
            default:
                charges.remove(at: index)
                model.held.remove(at: index)
            }
        }
    }

    @Test(
        "keep what is charged, and allow what the rule allows",
        arguments: 1...40 as ClosedRange<UInt64>)
    func agree(seed: UInt64) {
        var trial = Trial(seed: seed)
        for _ in 0..<400 {
            trial.step()
            for node in trial.accounts.indices where node > 0 || trial.tally.isSettled {
                #expect(trial.accounts[node].used == trial.model.held(in: node))
            }
        }
        trial.tally.settle()
        #expect(trial.accounts[0].memory == trial.model.figures)
        trial.charges = []
        trial.tally.settle()
        #expect(trial.accounts.allSatisfy { $0.used == 0 })
        #expect(trial.accounts[0].memory == MemoryFigures())
    }
}
