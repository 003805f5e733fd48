package import SyncModel

/// Who a client is to a server: the author of its transactions, and what proves, after a lost
/// connection, that it is the same.
package struct ClientIdentity: Sendable {
    package var client: Identifier
    package var secret: [UInt8]

    /// Takes an identity that was used before.
    package init(client: Identifier, secret: [UInt8]) {
        self.client = client
        self.secret = secret
    }

    /// Makes a new, random one.
    package init(random: () -> UInt64) {
        client = RandomName.make(prefix: "c-", random: random())
        secret = []
        for _ in 0..<2 {
            withUnsafeBytes(of: random()) { secret.append(contentsOf: $0) }
        }
    }
}

/// Names that nobody else makes: a prefix and thirteen random characters.
package enum RandomName {
    private static let alphabet = Array("0123456789abcdefghjkmnpqrstvwxyz".utf8)

    package static func make(prefix: StaticString, random: UInt64) -> Identifier {
        var bytes: [UInt8] = []
        prefix.withUTF8Buffer { bytes.append(contentsOf: $0) }
        var rest = random
        for _ in 0..<13 {
            bytes.append(alphabet[Int(rest & 31)])
            rest >>= 5
        }
        return bytes.withUnsafeBytes { Identifier(trusted: $0) }
    }
}
