import SyncJSON
import SyncRoom
import SyncWire

extension Session {
    /// The most bytes that a view's layout may have as JSON.
    static let maximumLayoutBytes = 64 << 10

    /// Has the loop of its room open, change or close a view.
    func view(_ request: ViewRequest) {
        guard membership(request.room) != nil else {
            return refuse(
                about: request.room, .unknownRoom, "this connection is not in that room")
        }
        let (id, handle, number) = (id, request.room, request.view)
        guard !request.isClosed else {
            return tell(handle) { $0.closeView(number, of: id, in: handle) }
        }
        do throws(ViewRefusal) {
            let demand = try ViewDemand(request)
            tell(handle) { $0.show(demand, to: id, in: handle) }
        } catch {
            tell(handle) { $0.closeView(number, of: id, in: handle) }
            refuse(view: number, of: handle, error)
        }
    }

    func refuse(view: ViewNumber, of handle: RoomHandle, _ refusal: ViewRefusal) {
        say(
            .error(
                ErrorMessage(refusal.code, refusal.text, channel: .room(handle), view: view)))
    }
}

extension ServerLoop {
    func show(_ demand: ViewDemand, to id: MemberID, in handle: RoomHandle) {
        guard let host = hosts[handle], let room = host.room else { return }
        do throws(ViewRefusal) {
            try room.show(demand, to: id)
            compose(host)
        } catch {
            on(id.loopIndex) { $0.sessions[id]?.refuse(view: demand.view, of: handle, error) }
        }
    }

    func closeView(_ view: ViewNumber, of id: MemberID, in handle: RoomHandle) {
        guard let host = hosts[handle], let room = host.room else { return }
        room.closeView(view, of: id)
        // What was dragged in it goes back on the screens of others.
        compose(host)
    }
}

extension ViewDemand {
    /// Reads what a client asks for.
    fileprivate init(_ request: ViewRequest) throws(ViewRefusal) {
        if let fault = request.fault { throw ViewRefusal(.badView, fault.explanation) }
        self.init(
            view: request.view, bounds: request.bounds, overscan: request.overscan,
            seen: request.seen, snaps: request.snaps, anchor: request.anchor)
        guard let text = request.layout else { return }
        guard text.utf8.count <= Session.maximumLayoutBytes else {
            throw ViewRefusal(
                .limitExceeded,
                "a layout has at most \(Session.maximumLayoutBytes) bytes of JSON")
        }
        do throws(JSONError) {
            let layout = try ViewLayout(json: text)
            spec = layout.spec
            surroundings = layout.environment
        } catch {
            throw ViewRefusal(.badView, error.description)
        }
    }
}
