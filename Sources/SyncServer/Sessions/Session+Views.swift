import SyncLayout
import SyncRoom
import SyncWire

extension Session {
    func view(_ request: ViewRequest) {
        let subject = ErrorSubject.view(request.view, serial: request.serial, in: request.room)
        guard isIn(request.room, asking: subject) else { return }
        let (id, handle, number) = (id, request.room, request.view)
        guard !request.isClosed else {
            return ask(.view, of: handle) { host in
                host.closeView(number, of: id)
            }
        }
        do throws(RoomRefusal) {
            let demand = try ViewDemand(request)
            ask(.view, of: handle) { host in host.show(demand, to: id) }
        } catch {
            ask(.view, of: handle) { host in host.closeView(number, of: id) }
            refuse(subject, error)
        }
    }
}

extension RoomHost {
    func show(_ demand: ViewDemand, to id: ConnectionID) {
        do throws(RoomRefusal) {
            try room.show(demand, to: id)
            loop.compose(self)
        } catch {
            let handle = handle
            loop.onConnection(id) {
                $0.refuse(.view(demand.view, serial: demand.serial, in: handle), error)
            }
        }
    }

    func closeView(_ view: ViewNumber, of id: ConnectionID) {
        room.closeView(view, of: id)
        // Items that were dragged in it go back on the screens of others.
        loop.compose(self)
    }
}

extension ViewDemand {
    /// Checks and converts a client's request.
    fileprivate init(_ request: ViewRequest) throws(RoomRefusal) {
        if let fault = request.fault { throw RoomRefusal(code: .badView, text: fault.explanation) }
        self.init(
            view: request.view, spec: request.layout?.spec,
            surroundings: request.layout?.environment, bounds: request.bounds,
            overscan: request.overscan, seen: request.seen, snaps: request.snaps,
            anchor: request.anchor, serial: request.serial)
    }
}

extension Session {
    func drag(_ drag: Drag) {
        guard isIn(drag.room, asking: drag.subject) else { return }
        let id = id
        ask(drag.taskKind, of: drag.room) { host in host.drag(drag, by: id) }
        if let fault = drag.fault {
            refuse(drag.subject, RoomRefusal(code: .badDrag, text: fault.explanation))
        }
    }
}

extension Drag {
    var subject: ErrorSubject { .drag(number, in: room) }

    /// Only the latest update counts, except that an invalid one ends the drag.
    fileprivate var taskKind: RoomTask.Kind {
        if case .update = step, fault == nil { .dragUpdate } else { .drag }
    }
}

extension RoomHost {
    func drag(_ drag: Drag, by id: ConnectionID) {
        do throws(RoomRefusal) {
            try room.drag(drag.number, drag.step, by: id)
        } catch {
            loop.onConnection(id) { $0.refuse(drag.subject, error) }
        }
        loop.compose(self)
    }
}

extension Session {
    func present(_ presence: Presence) {
        guard isIn(presence.room, asking: .presence(in: presence.room)) else { return }
        let id = id
        ask(.presence, of: presence.room) { host in host.present(presence, by: id) }
    }
}

extension RoomHost {
    func present(_ presence: Presence, by id: ConnectionID) {
        do throws(RoomRefusal) {
            try room.present(presence.state, by: id)
            loop.compose(self)
        } catch {
            loop.onConnection(id) { $0.refuse(.presence(in: presence.room), error) }
        }
    }
}
