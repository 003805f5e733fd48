import SyncRoom
import SyncWire

extension Session {
    /// Has the loop of its room take a step of a drag.
    func drag(_ drag: Drag) {
        guard isIn(drag.room) else { return }
        let id = id
        ask(drag.taskKind, of: drag.room) { host in host.drag(drag, by: id) }
        if let fault = drag.fault {
            refuse(drag, RoomRefusal(code: .badDrag, text: fault.explanation))
        }
    }
}

extension Drag {
    /// Of updates the latest says it all, unless one ends the drag as it can't be.
    fileprivate var taskKind: RoomTask.Kind {
        if case .update = step, fault == nil { .dragUpdate } else { .drag }
    }
}

extension RoomHost {
    func drag(_ drag: Drag, by id: MemberID) {
        do throws(RoomRefusal) {
            try room.drag(drag.number, drag.step, by: id)
        } catch {
            loop.tell(id) { $0.refuse(drag, error) }
        }
        loop.compose(self)
    }
}
