import SyncJSON
import SyncRoom
import SyncWire

extension Session {
    /// Has the loop of its room open, change or close a view.
    func view(_ request: ViewRequest) {
        guard isIn(request.room) else { return }
        let (id, handle, number) = (id, request.room, request.view)
        guard !request.isClosed else {
            return ask(.view, of: handle) { host in
                host.closeView(number, of: id)
            }
        }
        do throws(RoomRefusal) {
            let demand = try ViewDemand(
                request, layoutBytes: configuration.connections.maximumLayoutTextBytes)
            ask(.view, of: handle) { host in host.show(demand, to: id) }
        } catch {
            ask(.view, of: handle) { host in host.closeView(number, of: id) }
            refuse(view: number, of: handle, error)
        }
    }
}

extension RoomHost {
    func show(_ demand: ViewDemand, to id: MemberID) {
        do throws(RoomRefusal) {
            try room.show(demand, to: id)
            loop.compose(self)
        } catch {
            let handle = handle
            loop.tell(id) { $0.refuse(view: demand.view, of: handle, error) }
        }
    }

    func closeView(_ view: ViewNumber, of id: MemberID) {
        room.closeView(view, of: id)
        // What was dragged in it goes back on the screens of others.
        loop.compose(self)
    }
}

extension ViewDemand {
    /// Reads what a client asks for.
    ///
    /// - Parameter limit: the most bytes that the layout may have as JSON.
    fileprivate init(_ request: ViewRequest, layoutBytes limit: Int) throws(RoomRefusal) {
        if let fault = request.fault { throw RoomRefusal(code: .badView, text: fault.explanation) }
        self.init(
            view: request.view, bounds: request.bounds, overscan: request.overscan,
            seen: request.seen, snaps: request.snaps, anchor: request.anchor)
        guard let text = request.layout else { return }
        guard text.utf8.count <= limit else {
            throw RoomRefusal(
                code: .limitExceeded, text: "a layout has at most \(limit) bytes of JSON")
        }
        do throws(JSONError) {
            let layout = try ViewLayout(json: text)
            spec = layout.spec
            surroundings = layout.environment
        } catch {
            throw RoomRefusal(code: .badView, text: error.description)
        }
    }
}
