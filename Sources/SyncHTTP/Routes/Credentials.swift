import SyncBytes
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
    func token() throws(RequestRefusal) -> ForeignText {
        if let token = try bearerToken() { return token }
        if let token = try protocolToken() { return token }
        return try cookieToken() ?? ForeignText(bounded: "")
    }

    /// The token in `Authorization`.
    func bearerToken() throws(RequestRefusal) -> ForeignText? {
        let values = fields.values(of: "Authorization")
        guard let value = values.first else { return nil }
        let parts = value.parts(between: " ")
        guard values.count == 1, parts.count == 2, parts[0].isSame(ignoringCaseOf: "bearer")
        else {
            throw .badToken("Authorization must be 'Bearer' and a token")
        }
        return parts[1]
    }

    private func protocolToken() throws(RequestRefusal) -> ForeignText? {
        let tokens = fields.list(of: "Sec-WebSocket-Protocol")
            .compactMap { $0.rest(behind: RequestHead.bearerProtocol) }
        guard tokens.count <= 1 else { throw .badToken("there may be one token") }
        return tokens.first
    }

    private func cookieToken() throws(RequestRefusal) -> ForeignText? {
        let tokens = fields.values(of: "Cookie")
            .flatMap { $0.parts(between: ";") }
            .compactMap { $0.trimmed.rest(behind: RequestHead.tokenCookie + "=") }
        // Of two, one may be another site's.
        guard tokens.count <= 1 else {
            throw .badToken("the cookie '\(RequestHead.tokenCookie)' comes twice")
        }
        return tokens.first
    }
}

extension RequestRefusal {
    fileprivate static func badToken(_ text: String) -> RequestRefusal {
        RequestRefusal(
            status: 401, code: ErrorCode.badToken.rawValue, text: text,
            fields: HTTPFields(["WWW-Authenticate": "Bearer"]))
    }
}
