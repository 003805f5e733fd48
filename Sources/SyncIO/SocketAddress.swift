/// A host and a port, as in `127.0.0.1:7420`, `[::1]:7420` or `localhost:7420`.
public struct SocketAddress: Sendable, Hashable, CustomStringConvertible {
    /// A host name or a numeric address, without brackets.
    public var host: String
    /// The port. With 0, a server lets the system choose one.
    public var port: UInt16

    /// Makes an address of its parts. They are not checked.
    public init(host: String, port: UInt16) {
        self.host = host
        self.port = port
    }

    /// Parses `HOST:PORT`; an IPv6 address is in brackets.
    ///
    /// - Throws: ``IOError/badAddress(_:)`` if the text has no port from 0 to 65535, no host, or a
    ///   host with a character that can't be in one.
    public init(parsing text: String) throws(IOError) {
        guard let colon = text.lastIndex(of: ":"),
            let port = SocketAddress.port(text[text.index(after: colon)...])
        else { throw .badAddress(text) }
        var host = text[..<colon]
        let isInBrackets = host.hasPrefix("[") && host.hasSuffix("]") && host.utf8.count >= 2
        if isInBrackets { host = host.dropFirst().dropLast() }
        guard !host.isEmpty, host.contains(":") == isInBrackets,
            host.unicodeScalars.allSatisfy(SocketAddress.mayStandInHost)
        else { throw .badAddress(text) }
        self.init(host: String(host), port: port)
    }

    /// Parses a port. Only digits are allowed, while `UInt16` also accepts a sign.
    private static func port(_ text: Substring) -> UInt16? {
        text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? UInt16(text) : nil
    }

    private static func mayStandInHost(_ scalar: Unicode.Scalar) -> Bool {
        !scalar.properties.isWhitespace && scalar.properties.generalCategory != .control
            && !"[]/".unicodeScalars.contains(scalar)
    }

    /// `HOST:PORT`, with brackets around an IPv6 address.
    public var description: String {
        host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }
}
