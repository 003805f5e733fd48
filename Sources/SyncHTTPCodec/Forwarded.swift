import NIOCore
import SyncBytes

/// The field `Forwarded` (RFC 7239), to which each proxy adds an element.
package enum Forwarded {
    private static let mostBytes = 4 << 10

    /// The address of the client, as the last of our own proxies but `proxies - 1` has seen it.
    ///
    /// Elements before that one come from strangers, who may say anything. They must be readable
    /// all the same, as otherwise they could hide where the elements of our proxies begin.
    ///
    /// - Parameter proxies: how many proxies of our own are in a row before the server.
    /// - Returns: the address in its usual form, without a port; `nil` if there is none.
    /// - Throws: if the field is not written by the rules.
    package static func client(
        in fields: HTTPFields, behind proxies: Int = 1
    ) throws(HTTPError) -> String? {
        let values = fields.values(of: "Forwarded")
        guard values.reduce(0, { $0 + $1.byteCount }) <= mostBytes else {
            throw .malformed("The field Forwarded is too long.")
        }
        var scanner = FieldScanner(values)
        var nodes: [ForeignText?] = []
        while !scanner.isAtEnd {
            // Elements may be empty, as in any list.
            if !scanner.pass(",") { nodes.append(try element(&scanner)) }
            scanner.skipSpaces()
        }
        guard (1...max(nodes.count, 1)).contains(proxies), !nodes.isEmpty else { return nil }
        return nodes[nodes.count - proxies].flatMap(address)
    }

    /// Reads the pairs of an element up to its comma.
    ///
    /// - Returns: the value of `for`.
    private static func element(_ scanner: inout FieldScanner) throws(HTTPError) -> ForeignText? {
        var node: ForeignText?
        repeat {
            guard let name = scanner.token(), scanner.pass("="),
                let value = scanner.tokenOrQuoted()
            else { throw malformed }
            guard name.isSame(ignoringCaseOf: "for") else { continue }
            guard node == nil else { throw malformed }
            node = value
        } while scanner.pass(";")
        scanner.skipSpaces()
        guard scanner.isAtEnd || scanner.pass(",") else { throw malformed }
        return node
    }

    private static var malformed: HTTPError {
        .malformed("The field Forwarded breaks the rules of RFC 7239.")
    }

    /// The address of a node, which may have a port; `nil` if it is `unknown` or a pseudonym.
    private static func address(_ node: ForeignText) -> String? {
        // Addresses are ASCII, and so are ports.
        guard node.withBytes({ $0.allSatisfy { $0 < 0x80 } }) else { return nil }
        var host = node.shown[...]
        if host.hasPrefix("[") {
            guard let end = host.firstIndex(of: "]") else { return nil }
            let port = host[end...].dropFirst()
            guard port.isEmpty || isPort(port) else { return nil }
            host = host[..<end].dropFirst()
            guard host.contains(":") else { return nil }
        } else if let colon = host.firstIndex(of: ":") {
            guard isPort(host[colon...]) else { return nil }
            host = host[..<colon]
        }
        return try? SocketAddress(ipAddress: String(host), port: 0).ipAddress
    }

    private static func isPort(_ text: Substring) -> Bool {
        let port = text.dropFirst()
        return text.first == ":" && (1...5).contains(port.utf8.count)
            && port.utf8.allSatisfy { (0x30...0x39).contains($0) }
    }
}
