import SyncLayout
import SyncModel
import SyncRoom
import SyncWire

/// A member with a view that drags items in it, as far as a client knows of it, and what else is
/// true of it.
final class DraggingTwin {
    /// An item that it drags, or has dropped.
    final class Drag {
        let number: DragNumber
        let item: Identifier
        let isShared: Bool
        let owner: DraggingTwin
        /// Where it is held.
        var point: ListPoint?
        /// The last update that it has sent.
        var update: UInt64 = 0
        /// The last target that the server has told, and of which update.
        var target: DropTarget?
        var toldUpdate: UInt64?
        /// The one before, as others may still see it in the same turn.
        var formerTarget: DropTarget?
        /// Whether it was told in this turn where the item goes from another point.
        var isTargetNew = false
        /// The revision with which it is dropped.
        var landing: Revision?

        init(_ number: DragNumber, _ item: Identifier, isShared: Bool, by owner: DraggingTwin) {
            self.number = number
            self.item = item
            self.isShared = isShared
            self.owner = owner
        }
    }

    let id: ConnectionID
    var view: ViewerTwin
    var inbox: [ViewUpdate] = []
    var lastDrag: DragNumber = 0
    var counter: UInt64 = 0
    /// The drags that are over though it did not end them, and of which it was not told yet.
    var lost: Set<DragNumber> = []

    init(_ id: ConnectionID, _ view: ViewerTwin) {
        self.id = id
        self.view = view
    }

    /// Takes in what it was sent.
    ///
    /// - Returns: what is wrong with it.
    func take() -> String? {
        for update in inbox {
            if let problem = view.take(update) { return problem }
        }
        inbox = []
        return nil
    }
}
