import SyncBytes
import SyncJSON
import SyncLayout
import SyncModel
import SyncWire

/// A long line about a view, which a worker writes.
struct UnwrittenLine: Sendable {
    let change: ViewChange
    /// The name and the number of the view.
    let name: Identifier
    let view: ViewNumber

    /// A line about more elements is long, whatever they show.
    static let fewElements = SessionRequest.smallBytes / bytesOfEntry

    /// What it takes in memory beside the contents, which the view's screen has.
    var memoryBytes: Int { change.elementCount * UnwrittenLine.bytesOfEntry }

    private static let bytesOfEntry = 256

    /// The line with its end; `nil` if it is longer than what a screen shows may be.
    func text() -> SharedBytes? { ViewLine(change, of: name).text(atMost: ScreenRead.mostBytes) }
}
