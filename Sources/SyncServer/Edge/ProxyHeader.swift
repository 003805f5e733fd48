/// The header of the PROXY protocol, version 2, in which a proxy names the client of a connection.
package enum ProxyHeader: Equatable {
    case incomplete
    /// It is complete. `source` is `nil` if the connection is the proxy's own, or if the header
    /// names no client.
    case whole(source: Source?, byteCount: Int)
    case malformed(String)

    package struct Source: Equatable, Sendable {
        package let address: NetworkAddress
        /// The address and the port, as logs show them.
        package let text: String

        package init(address: NetworkAddress, text: String) {
            self.address = address
            self.text = text
        }
    }

    /// The most bytes that it may have, with all that proxies add to it.
    package static let maximumBytes = 4096

    private static let signature: [UInt8] = Array("\r\n\r\n\0\r\nQUIT\n".utf8)
    private static let fixedBytes = 16

    /// Parses the bytes so far.
    package init(_ bytes: UnsafeRawBufferPointer) {
        let known = ProxyHeader.signature.prefix(bytes.count)
        guard bytes.prefix(known.count).elementsEqual(known) else {
            self = .malformed("the connection does not begin with a PROXY header of version 2")
            return
        }
        guard bytes.count >= ProxyHeader.fixedBytes else {
            self = .incomplete
            return
        }
        let length = Int(bytes[14]) << 8 | Int(bytes[15])
        let count = ProxyHeader.fixedBytes + length
        guard count <= ProxyHeader.maximumBytes else {
            self = .malformed("a PROXY header has more than \(ProxyHeader.maximumBytes) bytes")
            return
        }
        guard bytes.count >= count else {
            self = .incomplete
            return
        }
        let body = UnsafeRawBufferPointer(rebasing: bytes[ProxyHeader.fixedBytes..<count])
        self = ProxyHeader.read(command: bytes[12], family: bytes[13], body, count)
    }

    private static func read(
        command: UInt8, family: UInt8, _ body: UnsafeRawBufferPointer, _ count: Int
    ) -> ProxyHeader {
        switch (command, family) {
        // LOCAL: the proxy's own connection, for a health check.
        case (0x20, _): return .whole(source: nil, byteCount: count)
        // PROXY without an address, or with that of a Unix socket.
        case (0x21, 0x00), (0x21, 0x31): return .whole(source: nil, byteCount: count)
        case (0x21, 0x11) where body.count >= 12:
            let number = (0..<4).reduce(UInt32(0)) { $0 << 8 | UInt32(body[$1]) }
            let port = UInt16(body[8]) << 8 | UInt16(body[9])
            let host = (0..<4).map { "\(body[$0])" }.joined(separator: ".")
            let source = Source(
                address: NetworkAddress(version4: number), text: "\(host):\(port)")
            return .whole(source: source, byteCount: count)
        case (0x21, 0x21) where body.count >= 36:
            let address = NetworkAddress(version6: UnsafeRawBufferPointer(rebasing: body[..<16]))
            let port = UInt16(body[32]) << 8 | UInt16(body[33])
            let host = address.isVersion4 ? "\(address)" : "[\(address)]"
            return .whole(
                source: Source(address: address, text: "\(host):\(port)"), byteCount: count)
        default:
            return .malformed("a PROXY header says nothing that is understood here")
        }
    }
}

extension NetworkAddress: CustomStringConvertible {
    /// The usual numeric form.
    package var description: String {
        if isVersion4 {
            return (0..<4).map { "\(low >> (24 - 8 * UInt64($0)) & 0xFF)" }.joined(separator: ".")
        }
        let groups = [high, low].flatMap { word in
            (0..<4).map { String(word >> (48 - 16 * UInt64($0)) & 0xFFFF, radix: 16) }
        }
        return groups.joined(separator: ":")
    }
}
