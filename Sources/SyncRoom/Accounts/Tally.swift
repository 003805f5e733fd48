/// By how much the charges of a loop have changed since it last told the server's pot of memory: loops count by
/// themselves, and settle once a turn. So the pot is behind by a turn of each loop.
package final class Tally {
    private let pot: Account
    @exclusivity(unchecked) private var change = MemoryFigures()
    @exclusivity(unchecked) private var hasChanged = false

    /// What is more is told at once.
    static let largestChange: UInt = 64 << 10

    /// - Parameter pot: the server's memory.
    package init(of pot: Account) {
        self.pot = pot
    }

    deinit {
        settle()
    }

    /// Whether there is nothing to settle.
    package var isSettled: Bool { !hasChanged }

    func add(_ change: Int, as kind: MemoryKind?) {
        guard let kind else { return pot.add(change, MemoryFigures()) }
        self.change[kind] += change
        hasChanged = true
    }

    /// Tells the pot.
    package func settle() {
        guard hasChanged else { return }
        pot.add(change.total, change)
        change = MemoryFigures()
        hasChanged = false
    }
}
