import SyncHTTPCodec
import SyncServer
import SyncWebSocket
import SyncWire

extension HTTPConnection {
    /// Makes the connection a WebSocket.
    func openWebSocket(_ head: RequestHead) throws(RequestRefusal) {
        let handshake: ServerHandshake
        do throws(ServerHandshake.Refusal) {
            handshake = try ServerHandshake(head, offering: [.bytes])
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
        let loop = gateway.eventLoop
        upgrade(ResponseHead(101, handshake.fields)) { [gateway] received in
            WebSocketStream(
                on: gateway.stream, handshake.kind, isServer: true, loop: loop, received: received)
        }
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
