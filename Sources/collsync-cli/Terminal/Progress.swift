import SyncTerminal

/// A line on a terminal that says how many items are done. It is written anew only when the number
/// has grown by a good part, so that it costs nothing.
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
