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
