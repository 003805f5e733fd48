/// A host and a port, as in `127.0.0.1:7420`, `[::1]:7420` or `localhost:7420`.
package struct SocketAddress: Sendable, Hashable, CustomStringConvertible {
    /// A name or a numeric address, without brackets.
    package var host: String
    package var port: UInt16

    package init(host: String, port: UInt16) {
        self.host = host
        self.port = port
    }

    /// Reads `HOST:PORT`; an IPv6 address stands in brackets.
    ///
    /// - Throws: ``IOError/badAddress(_:)``.
    package init(parsing text: String) throws(IOError) {
        guard let colon = text.lastIndex(of: ":"),
            let port = UInt16(text[text.index(after: colon)...])
        else { throw .badAddress(text) }
        var host = text[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = host.dropFirst().dropLast()
        } else if host.contains(":") {
            throw .badAddress(text)
        }
        guard !host.isEmpty else { throw .badAddress(text) }
        self.init(host: String(host), port: port)
    }

    package var description: String {
        host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }

    /// Whether only this machine can reach it.
    package var isLoopback: Bool {
        host == "localhost" || host == "::1" || host.hasPrefix("127.")
    }
}
