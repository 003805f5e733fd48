import SyncClient
import SyncLayout
import SyncModel
import SyncWire

/// An item that a client drags: what it has asked for, and what it was told.
final class DragPart {
    let item: Identifier
    let view: ViewNumber
    let isShared: Bool
    /// Whether the server has taken note of it.
    var isBegun = false
    /// Where it is held, in the content of the view as it is on the screen.
    var point: ListPoint?
    /// Where it would be dropped.
    var target: DropTarget?
    /// Whether it is not moved about any more.
    var isStill = false
    /// What is known when the server has told where it goes from its last point.
    var settled: SettledDrag?

    init(_ item: Identifier, in view: ViewNumber, isShared: Bool) {
        self.item = item
        self.view = view
        self.isShared = isShared
    }

    /// What is to be seen of it at its target.
    var seen: SeenDrag { SeenDrag(item: item, target: target, point: nil) }

    /// What is to be seen of it in its own view.
    var held: SeenDrag { SeenDrag(item: item, target: target, point: point) }
}

/// What a screen shows of a drag.
struct SeenDrag: Equatable {
    var item: Identifier
    var target: DropTarget?
    var point: ListPoint?
}
