import SyncHTTPCodec
import SyncWire

// The token that a request shows. It never stands in a target, as targets are logged.
extension RequestHead {
    /// The cookie that has the token.
    static let tokenCookie = "collsync"
    /// Before the token in the name of a WebSocket's subprotocol: all that a page may choose.
    private static let bearerProtocol = "collsync.bearer."

    /// The token; empty if it shows none. What a program sets comes before what a browser sends by
    /// itself.
    func token() throws(RequestRefusal) -> String {
        if let token = try bearerToken() { return token }
        if let token = try protocolToken() { return token }
        return try cookieToken() ?? ""
    }

    /// The token in `Authorization`.
    func bearerToken() throws(RequestRefusal) -> String? {
        let values = fields.values(of: "Authorization")
        guard let value = values.first else { return nil }
        let parts = HTTPFields.parts(of: value, between: " ")
        guard values.count == 1, parts.count == 2, HTTPFields.isSame(String(parts[0]), "bearer")
        else {
            throw .badToken("Authorization must be 'Bearer' and a token")
        }
        return String(parts[1])
    }

    private func protocolToken() throws(RequestRefusal) -> String? {
        let tokens = fields.list(of: "Sec-WebSocket-Protocol")
            .filter { HTTPFields.isPrefix(RequestHead.bearerProtocol, of: $0) }
        guard tokens.count <= 1 else { throw .badToken("there may be one token") }
        return tokens.first.map { String($0.dropFirst(RequestHead.bearerProtocol.count)) }
    }

    private func cookieToken() throws(RequestRefusal) -> String? {
        let prefix = RequestHead.tokenCookie + "="
        let tokens = fields.values(of: "Cookie")
            .flatMap { HTTPFields.parts(of: $0, between: ";") }
            .map { Substring($0.utf8.drop { $0 == 0x20 }) }
            .filter { HTTPFields.isPrefix(prefix, of: $0) }
        // Of two, one may be another site's.
        guard tokens.count <= 1 else {
            throw .badToken("the cookie '\(RequestHead.tokenCookie)' comes twice")
        }
        return tokens.first.map { String($0.dropFirst(prefix.count)) }
    }
}

extension RequestRefusal {
    fileprivate static func badToken(_ text: String) -> RequestRefusal {
        RequestRefusal(
            status: 401, code: ErrorCode.badToken.rawValue, text: text,
            fields: HTTPFields(["WWW-Authenticate": "Bearer"]))
    }
}
