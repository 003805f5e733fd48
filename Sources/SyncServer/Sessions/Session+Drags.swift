import SyncRoom
import SyncWire

extension Session {
    /// Has the loop of its room take a step of a drag.
    func drag(_ drag: Drag) {
        guard membership(drag.room) != nil else {
            return refuse(about: drag.room, .unknownRoom, "this connection is not in that room")
        }
        let id = id
        tell(drag.room) { $0.drag(drag, by: id) }
        if let fault = drag.fault { refuse(drag, DragRefusal(.badDrag, fault.explanation)) }
    }

    func refuse(_ drag: Drag, _ refusal: DragRefusal) {
        say(
            .error(
                ErrorMessage(
                    refusal.code, refusal.text, channel: .room(drag.room), drag: drag.number)))
    }
}

extension ServerLoop {
    func drag(_ drag: Drag, by id: MemberID) {
        guard let host = hosts[drag.room], let room = host.room else { return }
        do throws(DragRefusal) {
            try room.drag(drag.number, drag.step, by: id)
        } catch {
            on(id.loopIndex) { $0.sessions[id]?.refuse(drag, error) }
        }
        compose(host)
    }
}
