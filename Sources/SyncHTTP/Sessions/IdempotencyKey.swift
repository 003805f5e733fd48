import SyncBytes
import SyncHTTPCodec
import SyncModel

/// Makes a transaction that is sent again the same one: the field `Idempotency-Key`.
///
/// A transaction with a key has an author of its own, whose name is a hash of the user and the key,
/// and whose secret is a hash of the body. A room keeps its authors and the outcomes of their
/// commits durably. So the same request gets its first answer again, and with another body it has
/// the wrong secret.
///
/// A rejected transaction makes no author, so its key may come again with a corrected body.
struct IdempotencyKey {
    let client: Identifier
    let secret: [UInt8]

    /// The longest key, in bytes.
    static let mostBytes = 255

    /// - Parameters:
    ///   - bodyHash: the hash of the request's body.
    ///   - user: who sends it; empty if nobody has signed in.
    init(_ key: ForeignText, bodyHash: [UInt8], of user: UserName) {
        let hash = SHA256.authenticate(
            key.withBytes { Array($0) }, key: SHA256.hash(Array(user.text.utf8)))
        let digits = Array("0123456789abcdef".utf8)
        let name = hash.prefix(16).flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
        client = (Array("k-".utf8) + name).withUnsafeBytes { Identifier(trusted: $0) }
        secret = bodyHash
    }
}

extension RequestHead {
    /// The key that it brings, with or without quotation marks; `nil` if it brings none.
    func idempotencyKey() throws(RequestRefusal) -> ForeignText? {
        let values = fields.values(of: "Idempotency-Key")
        guard let value = values.first else { return nil }
        let quote = UInt8(ascii: "\"")
        let bytes = value.shown.utf8
        let isQuoted = bytes.count >= 2 && bytes.first == quote && bytes.last == quote
        let key =
            isQuoted ? ForeignText(bounded: String(Substring(bytes.dropFirst().dropLast()))) : value
        guard values.count == 1, (1...IdempotencyKey.mostBytes).contains(key.byteCount),
            key.shown.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != quote })
        else {
            throw .mistake(
                "Idempotency-Key must be 1 to \(IdempotencyKey.mostBytes) visible characters"
                    + " without quotation marks")
        }
        return key
    }
}
