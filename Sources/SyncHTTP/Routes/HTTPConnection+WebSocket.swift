import SyncHTTPCodec
import SyncModel
import SyncServer
import SyncWebSocket
import SyncWire

extension HTTPConnection {
    /// Makes the connection a WebSocket.
    func openWebSocket(_ request: RoutedRequest, _ head: RequestHead) throws(RequestRefusal) {
        let handshake: ServerHandshake
        do throws(ServerHandshake.Refusal) {
            handshake = try ServerHandshake(head)
        } catch {
            throw RequestRefusal(
                status: error.status, code: ErrorCode.badHandshake.rawValue, text: error.reason,
                fields: error.fields)
        }
        guard options.admits(handshake.origin, for: head, isSecured: gateway.isSecured) else {
            throw RequestRefusal(
                status: 403, code: ErrorCode.notAllowed.rawValue,
                text: "pages of this origin may not use the server: see --http-origin")
        }
        let member = handshake.kind == .lines ? try lineOptions(request, head) : nil
        let (gateway, loop) = (gateway, gateway.eventLoop)
        let stream = upgrade(ResponseHead(101, handshake.fields)) { received in
            WebSocketStream(
                on: gateway.stream, handshake.kind, isServer: true, loop: loop, received: received)
        }
        if let member {
            let socket = LineSocket(gateway, stream, member)
            lines = socket
            gateway.didBecomeWebSocket()
            socket.begin()
        } else {
            gateway.becomeSession(over: stream)
        }
    }

    /// What a member gets that speaks in lines.
    private func lineOptions(
        _ request: RoutedRequest, _ head: RequestHead
    ) throws(RequestRefusal) -> LineOptions {
        guard let room = RoomName(try request.text("room") ?? "") else {
            throw .mistake("'room' must be a room's name")
        }
        var options = LineOptions(room: room)
        options.token = try head.bearerToken() ?? ""
        options.agent = "WebSocket"
        options.from = try request.number("from")
        if let id = try request.text("id"), let epoch = try request.text("epoch") {
            options.origin = RoomOrigin(id: id, epoch: epoch)
        }
        options.everyRevision = try request.flag("everyRevision")
        options.isViewOnly = try request.flag("viewOnly")
        options.presence = try request.flag("presence")
        options.authors = try request.flag("authors")
        return options
    }
}

extension HTTPOptions {
    /// Whether pages of an origin may use the server. A browser names the origin of the page. So a
    /// program that names none is no page, and is asked for its token alone.
    func admits(_ origin: String?, for head: RequestHead, isSecured: Bool) -> Bool {
        guard let origin else { return true }
        if origins.contains(origin) { return true }
        // The page of a server behind a proxy comes by https, whatever the server speaks.
        guard let host = head.fields["Host"] else { return false }
        let own = ["https://" + host] + (isSecured ? [] : ["http://" + host])
        return own.contains { HTTPFields.isSame($0, origin) }
    }
}
