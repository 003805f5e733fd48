package import SyncIO

/// Where a server is, and how it is spoken to: `HOST:PORT`, or the URL of a WebSocket.
///
/// | address | stands for |
/// |---|---|
/// | `example.org:7420` | the protocol's frames, by TLS or not |
/// | `ws://example.org` | a WebSocket at port 80 and the usual path, `/v1/ws` |
/// | `wss://example.org:8443/rooms/v1/ws` | one by TLS, at that port and path |
package struct ServerAddress: Sendable, Equatable {
    /// How the server is spoken to.
    package enum Door: Sendable, Equatable {
        case frames
        case webSocket(WebSocketDoor)
    }

    /// What a WebSocket's URL says beside the address.
    package struct WebSocketDoor: Sendable, Equatable {
        /// Whether the connection is by TLS.
        package var isSecured: Bool
        /// The host, and the port if it is not the usual one, as HTTP names them.
        package var host: String
        /// The path.
        package var target: String

        package init(isSecured: Bool, host: String, target: String) {
            (self.isSecured, self.host, self.target) = (isSecured, host, target)
        }
    }

    package var socket: SocketAddress
    package var door: Door

    /// The path of a server's WebSocket, for URLs that name none.
    static let usualTarget = "/v1/ws"

    /// Parses an address. A URL may have no user, since a password would be in logs, and neither a
    /// query nor a fragment, since a server uses none.
    ///
    /// - Throws: `badAddress`, which does not quote a URL.
    package init(parsing text: String) throws(CollectionError) {
        guard let colon = text.firstRange(of: "://") else {
            socket = try ServerAddress.socket(text, or: text)
            door = .frames
            return
        }
        let isSecured: Bool
        switch text[..<colon.lowerBound].lowercased() {
        case "ws": isSecured = false
        case "wss": isSecured = true
        default:
            throw .badAddress("the URL of a server begins with ws:// or wss://")
        }
        let rest = text[colon.upperBound...]
        let authority = rest.prefix { !"/?#".contains($0) }
        let path = rest[authority.endIndex...]
        guard !authority.contains("@") else {
            throw .badAddress(
                "the URL of a server has no user or password: a token says who the client is")
        }
        guard path.utf8.allSatisfy({ (0x21...0x7E).contains($0) && !"?#".utf8.contains($0) }) else {
            throw .badAddress("the URL of a server ends with a path, and has no query")
        }
        let usualPort: UInt16 = isSecured ? 443 : 80
        socket = try ServerAddress.socket(authority, usualPort: usualPort)
        door = .webSocket(
            WebSocketDoor(
                isSecured: isSecured, host: socket.hostField(usualPort: usualPort),
                target: path.isEmpty || path == "/" ? ServerAddress.usualTarget : String(path)))
    }

    private static func socket(
        _ authority: Substring, usualPort: UInt16
    ) throws(CollectionError) -> SocketAddress {
        // Each colon of an IPv6 address is before its bracket.
        let end = authority.split(separator: "]", omittingEmptySubsequences: false).last ?? ""
        let text = end.contains(":") ? String(authority) : "\(authority):\(usualPort)"
        // Others are no part of a header field.
        guard authority.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw .badAddress("the host of a URL is in ASCII; a name has such a form, too: xn--…")
        }
        return try ServerAddress.socket(text, or: String(authority))
    }

    private static func socket(
        _ text: String, or shown: String
    ) throws(CollectionError) -> SocketAddress {
        do throws(IOError) {
            return try SocketAddress(parsing: text)
        } catch {
            throw .badAddress(
                "'\(shown)' is not an address; write HOST:PORT, or the URL of a WebSocket as in"
                    + " wss://HOST")
        }
    }
}

extension SocketAddress {
    /// The field `Host` of a request. A scope belongs to this machine, and is left out.
    fileprivate func hostField(usualPort: UInt16) -> String {
        let name = host.prefix { $0 != "%" }
        let bracketed = name.contains(":") ? "[\(name)]" : String(name)
        return port == usualPort ? bracketed : "\(bracketed):\(port)"
    }
}

extension CollectionError {
    /// This names no server.
    package static func badAddress(_ message: String) -> CollectionError {
        CollectionError(code: "badAddress", message: message)
    }
}
