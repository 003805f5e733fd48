/// By how much the charges of a loop have changed since it last told the server's pot of memory: loops count by
/// themselves, and settle once a turn. So the pot is behind by a turn of each loop.
package final class Tally {
    private let pot: Account
    @exclusivity(unchecked) private var change = MemoryFigures()
    /// Whether there is nothing to settle.
    @exclusivity(unchecked) package private(set) var isSettled = true

    /// What is more is told at once.
    static let largestChange: UInt = 64 << 10

    /// - Parameter pot: the server's memory.
    package init(of pot: Account) {
        self.pot = pot
    }

    deinit {
        settle()
    }

    func add(_ change: Int, as kind: MemoryKind?) {
        guard let kind else { return pot.add(change, MemoryFigures()) }
        self.change[kind] += change
        isSettled = false
    }

    /// Tells the pot.
    package func settle() {
        if isSettled { return }
        pot.add(change.total, change)
        change = MemoryFigures()
        isSettled = true
    }
}
