import SyncClient
import SyncLayout
import SyncModel
import SyncWire

/// An item that a client drags: the client's requests and the server's answers.
final class DragPart {
    let item: Identifier
    let view: ViewNumber
    let isShared: Bool
    /// Whether the server has accepted the drag.
    var isBegun = false
    /// The point to which it is dragged, in the content of the view as the screen shows it.
    var point: ListPoint?
    /// Where it would be dropped.
    var target: DropTarget?
    /// Whether it is not moved any more.
    var isStill = false
    /// The result of its last point, once the server has sent it.
    var settled: SettledDrag?

    init(_ item: Identifier, in view: ViewNumber, isShared: Bool) {
        self.item = item
        self.view = view
        self.isShared = isShared
    }

    /// What is visible of it at its target.
    var seen: SeenDrag { SeenDrag(item: item, target: target, point: nil) }

    /// What is visible of it in its own view.
    var held: SeenDrag { SeenDrag(item: item, target: target, point: point) }
}

/// What a screen shows of a drag.
struct SeenDrag: Equatable {
    var item: Identifier
    var target: DropTarget?
    var point: ListPoint?
}
