import SyncBytes
import SyncJSON
import SyncWire

/// A long line about a view, which a worker writes.
struct UnwrittenLine: Sendable {
    let line: ViewLine
    let view: ViewNumber

    /// A line that is about this long is written at once.
    static let smallBytes = 8 << 10

    /// What it takes in memory beside the contents, which the view's screen has.
    var memoryBytes: Int {
        (line.appeared.count + line.changed.count + line.disappeared.count)
            * UnwrittenLine.bytesOfEntry
    }

    private static let bytesOfEntry = 256

    /// The line with its end; `nil` if it is longer than what a screen shows may be.
    func text() -> SharedBytes? { line.text(atMost: ScreenRead.mostBytes) }
}
