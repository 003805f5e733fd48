import SyncHTTPCodec
import SyncIO
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
            throw .foreignOrigin
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

    /// Passes the connection's stream on to another one, behind a response that says so.
    ///
    /// - Parameter make: gets what has come behind the request.
    func upgrade<Stream: ByteStream & ByteStreamHandler>(
        _ response: ResponseHead, to make: (_ received: [UInt8]) -> Stream
    ) -> Stream {
        dropSession()
        output.add(response)
        output.flush(to: gateway.stream)
        exchange = nil
        phase = .upgraded
        gateway.countAnswer(to: record.route, status: response.status, of: record.trace)
        let stream = make(reader.takeRest())
        successor = stream
        reader = RequestReader()
        return stream
    }

    /// What a member gets that speaks in lines.
    private func lineOptions(
        _ request: RoutedRequest, _ head: RequestHead
    ) throws(RequestRefusal) -> LineOptions {
        guard let room = try request.text("room")?.withBytes({ RoomName(bytes: $0) }) else {
            throw .mistake("'room' must be a room's name")
        }
        var options = LineOptions(room: room)
        options.token = try head.token()
        options.agent = "WebSocket"
        options.from = try request.number("from")
        if let id = try request.text("id"), let epoch = try request.text("epoch") {
            options.origin = RoomOrigin(id: id.shown, epoch: epoch.shown)
        }
        options.everyRevision = try request.flag("everyRevision")
        options.isViewOnly = try request.flag("viewOnly")
        options.presence = try request.flag("presence")
        options.authors = try request.flag("authors")
        return options
    }
}
