import SyncBytes
import SyncHTTPCodec
import SyncServer
import SyncWire

/// Keeps a token in the browser, or removes it: in a cookie that no script can read and no other
/// site can have sent. So a page need not keep the token itself.
final class CookieExchange: SessionRequest {
    private let token: ForeignText

    /// - Parameter token: what `Authorization` has.
    init(_ token: ForeignText, _ connection: HTTPConnection, _ session: RequestSession) {
        self.token = token
        super.init(connection, session)
    }

    override func ask() {
        // The session has told that the token is good.
        respond(CookieExchange.response(token, isSecured: connection.isSecuredOutside))
    }

    /// The answer that has a browser set the cookie, or remove it.
    ///
    /// - Parameters:
    ///   - token: `nil` removes it.
    ///   - isSecured: whether the browser has asked by https.
    static func response(_ token: ForeignText?, isSecured: Bool) -> Response {
        var cookie = "\(RequestHead.tokenCookie)=\(token?.shown ?? ""); Path=/v1; HttpOnly"
        cookie += "; SameSite=Strict"
        if isSecured { cookie += "; Secure" }
        if token == nil { cookie += "; Max-Age=0" }
        return Response(204, HTTPFields(["Set-Cookie": cookie, "Cache-Control": "no-store"]))
    }

    /// Whether a token has only characters that a cookie may have (RFC 6265, 4.1.1).
    static func takes(_ token: ForeignText) -> Bool {
        !token.isEmpty
            && token.shown.utf8.allSatisfy {
                (0x21...0x7E).contains($0) && !"\",;\\".utf8.contains($0)
            }
    }
}
