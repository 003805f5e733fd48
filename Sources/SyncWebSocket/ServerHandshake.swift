package import SyncBytes
package import SyncHTTPCodec

/// A server's side of the handshake (RFC 6455, 4.2): what a request asks for, and its answer.
///
/// Whether the page of this origin may ask, and for this target, is left to the caller.
package struct ServerHandshake: Sendable {
    package let kind: WebSocketProtocol
    /// The origin of the page that asks. A program that is no browser may name none, or any.
    package let origin: ForeignText?
    /// The fields of the answer, whose status is 101.
    package let fields: HTTPFields

    /// Why there is no WebSocket: an answer for the client.
    package struct Refusal: Error, Sendable {
        package let status: Int
        package var fields = HTTPFields()
        /// A sentence that says what to do.
        package let reason: String
    }

    /// Whether a request asks for a WebSocket, in the right way or not.
    package static func isAsked(by request: RequestHead) -> Bool {
        request.fields.list(of: "Upgrade", has: "websocket")
    }

    /// Checks a request.
    ///
    /// - Parameter kinds: those that the server offers. The first one that the client names is
    ///   chosen.
    package init(
        _ request: RequestHead, offering kinds: [WebSocketProtocol] = WebSocketProtocol.allCases
    ) throws(Refusal) {
        try ServerHandshake.checkHead(request)
        let fields = request.fields
        guard fields.value(of: "Sec-WebSocket-Version")?.isSame(as: "13") == true else {
            throw Refusal(
                status: 426, fields: ["Sec-WebSocket-Version": "13", "Upgrade": "websocket"],
                reason: "This server knows version 13 of WebSocket.")
        }
        guard let key = fields.value(of: "Sec-WebSocket-Key").flatMap({ HandshakeKey($0) }) else {
            throw .bad("Sec-WebSocket-Key must be the base64 form of 16 bytes.")
        }
        let names = fields.list(of: "Sec-WebSocket-Protocol")
        let chosen = names.lazy.compactMap { $0.choice() as WebSocketProtocol? }
            .first { kinds.contains($0) }
        guard let chosen else {
            let known = kinds.map(\.rawValue).joined(separator: " or ")
            throw .bad("Sec-WebSocket-Protocol must name \(known).")
        }
        let origins = fields.values(of: "Origin")
        // Of two, the caller might check one, and the browser mean the other.
        guard origins.count <= 1 else { throw .bad("There may be one Origin.") }
        kind = chosen
        origin = origins.first
        self.fields = HTTPFields([
            "Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Accept": key.answer,
            "Sec-WebSocket-Protocol": chosen.rawValue,
        ])
    }

    private static func checkHead(_ request: RequestHead) throws(Refusal) {
        guard request.method == "GET", request.is11 else {
            throw .bad("A WebSocket is asked for by GET in HTTP/1.1.")
        }
        guard request.fields.value(of: "Host") != nil else { throw .bad("There must be one Host.") }
        guard isAsked(by: request), request.fields.list(of: "Connection", has: "upgrade") else {
            throw .bad("Upgrade must be websocket, and Connection must have Upgrade.")
        }
        // What follows the request is frames. A body would be read as frames by one side only.
        guard !request.fields.has("Transfer-Encoding"),
            request.fields.values(of: "Content-Length").allSatisfy({ $0.isSame(as: "0") })
        else { throw .bad("A request for a WebSocket has no body.") }
    }
}

extension ServerHandshake.Refusal {
    fileprivate init(status: Int, fields: KeyValuePairs<String, String>, reason: String) {
        self.init(status: status, fields: HTTPFields(fields), reason: reason)
    }

    fileprivate static func bad(_ reason: String) -> ServerHandshake.Refusal {
        ServerHandshake.Refusal(status: 400, reason: reason)
    }
}
