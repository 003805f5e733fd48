/// What the first bytes of a connection belong to, if that is not the protocol of its port: people
/// mistake a port for another one.
package enum ForeignGreeting: Sendable {
    /// A handshake or an alert of TLS.
    case tls
    /// A request or an answer of HTTP.
    case http
    /// A hello in a frame.
    case frames

    /// The beginnings of requests and answers. No hello begins so, nor an answer to one: their
    /// fields have other numbers.
    private static let words: [StaticString] = [
        "GET ", "HEAD", "POST", "PUT ", "DELE", "OPTI", "PATC", "CONN", "TRAC", "PRI ", "HTTP",
    ]

    /// - Parameter bytes: what has come first; four bytes suffice.
    package init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= 2 else { return nil }
        switch (bytes[0], bytes[1]) {
        case (0x15...0x16, 0x03): self = .tls
        case (0x01...0x7F, 0x82) where bytes.count > 2 && bytes[2] == 0x01: self = .frames
        default:
            let first = UnsafeRawBufferPointer(rebasing: bytes.prefix(4))
            guard ForeignGreeting.words.contains(where: { first.isSame(as: $0) }) else {
                return nil
            }
            self = .http
        }
    }

    /// What it is called, for people.
    package var name: String {
        switch self {
        case .tls: "TLS"
        case .http: "HTTP"
        case .frames: "collsync's frames"
        }
    }

    /// An answer in HTTP to who has the wrong port.
    ///
    /// - Parameters:
    ///   - sentence: what the port speaks, and which one to use.
    ///   - byTLS: whether the port is right, but takes only connections by TLS (RFC 2817).
    package static func answer(_ sentence: String, byTLS: Bool = false) -> [UInt8] {
        let body = sentence + "\n"
        let head = """
            HTTP/1.1 \(byTLS ? "426 Upgrade Required\r\nUpgrade: TLS/1.3" : "400 Bad Request")\r
            Content-Type: text/plain; charset=utf-8\r
            Content-Length: \(body.utf8.count)\r
            Connection: \(byTLS ? "Upgrade, close" : "close")\r
            \r

            """
        return Array((head + body).utf8)
    }
}
