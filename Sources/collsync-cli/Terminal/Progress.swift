import SyncTerminal

/// A line on a terminal with the number of items so far. It is rewritten only after many more
/// items, so its cost is negligible.
final class Progress {
    private var items: UInt64 = 0
    private var shown: UInt64 = 0

    private static let step: UInt64 = 5_000

    func add(_ count: Int) {
        items += UInt64(count)
    }

    func show(of total: UInt64? = nil) {
        guard items >= shown + Progress.step else { return }
        shown = items
        Terminal.showProgress(total.map { "\(items) of \($0) items" } ?? "\(items) items")
    }

    func end() {
        if shown > 0 { Terminal.endProgress() }
    }
}
