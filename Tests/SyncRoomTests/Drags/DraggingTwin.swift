import SyncLayout
import SyncModel
import SyncRoom
import SyncWire

/// A member with a view that drags items in it: what its client knows, and what the test knows
/// besides.
final class DraggingTwin {
    /// An item that the member drags or has dropped.
    final class Drag {
        let number: DragNumber
        let item: Identifier
        let isShared: Bool
        let owner: DraggingTwin
        /// The point of the drag.
        var point: ListPoint?
        /// The last update that the member has sent.
        var update: UInt64 = 0
        /// The last target that the server has sent, and the update that it answers.
        var target: DropTarget?
        var toldUpdate: UInt64?
        /// The target before: others may still see it in the same turn.
        var formerTarget: DropTarget?
        /// Whether the server sent a target for another point in this turn.
        var isTargetNew = false
        /// The revision that drops the item.
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
    /// The drags that the server ended but has not reported to the member yet.
    var lost: Set<DragNumber> = []

    init(_ id: ConnectionID, _ view: ViewerTwin) {
        self.id = id
        self.view = view
    }

    /// Applies the updates in the inbox.
    ///
    /// - Returns: what is wrong with them.
    func take() -> String? {
        for update in inbox {
            if let problem = view.take(update) { return problem }
        }
        inbox = []
        return nil
    }
}
