import SyncLayout
import SyncModel
import SyncWire

extension Collsync_V1_Drag {
    init(_ message: Drag) {
        room = message.room
        drag = message.number
        switch message.step {
        case .begin(let item, let view, let isShared):
            begin.item = item.text
            begin.view = view
            begin.shared = isShared
        case .update(let point, let number, let seen):
            update.at.x = point.x
            update.at.y = point.y
            update.number = number
            update.seen = seen
        case .end(let counter):
            end = Collsync_V1_DragEnd()
            end.counter = counter
        case .cancel: cancel = true
        }
    }
}

extension Collsync_V1_DragTarget {
    init(_ message: DragTarget) {
        room = message.room
        drag = message.number
        update = message.update
        section = message.target?.section.text ?? ""
        after = message.target?.after?.text ?? ""
    }
}

extension Collsync_V1_Dragged {
    init(_ dragged: DraggedItem) {
        item = dragged.item.text
        section = dragged.target?.section.text ?? ""
        after = dragged.target?.after?.text ?? ""
    }
}
