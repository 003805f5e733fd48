import COpenSSL
import SyncBytes
package import SyncModel

/// How a key signs (RFC 7518 and RFC 8037). Each key has one algorithm, so a token can't choose
/// another for it.
package enum SignatureAlgorithm: String, Sendable, CaseIterable {
    case eddsa = "EdDSA"
    case es256 = "ES256"
    case hs256 = "HS256"
    case rs256 = "RS256"
}

/// A key with its id, that verifies tokens and may be able to sign them.
package struct SignatureKey: Sendable {
    package let id: Identifier
    /// Tells it from other keys with the same id: the first bytes of a hash of what verifies, so
    /// each server, and the next one, has the same mark for a key.
    let mark: UInt64
    private let material: Material

    private enum Material: Sendable {
        case pair(KeyPair)
        /// Of HS256.
        case secret([UInt8])
    }

    /// How long the secret of HS256 is at least, as RFC 7518 asks.
    static let leastSecretBytes = 32
    private static let hashBytes = 32

    init(_ name: String, _ pair: KeyPair) throws(KeyError) {
        try self.init(name, .pair(pair), provedBy: pair.verifyingBytes)
    }

    init(_ name: String, secret: [UInt8]) throws(KeyError) {
        guard secret.count >= SignatureKey.leastSecretBytes else {
            throw KeyError("a secret of HS256 has at least \(SignatureKey.leastSecretBytes) bytes")
        }
        try self.init(name, .secret(secret), provedBy: secret)
    }

    private init(_ name: String, _ material: Material, provedBy bytes: [UInt8]) throws(KeyError) {
        guard let id = try? Identifier(name) else {
            throw KeyError(
                "a key's id has 1 to \(Identifier.maximumLength) bytes without control characters")
        }
        self.id = id
        self.material = material
        mark = SHA256.hash(bytes).prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }

    package var algorithm: SignatureAlgorithm {
        switch material {
        case .pair(let pair): pair.algorithm
        case .secret: .hs256
        }
    }

    /// Whether it can also sign.
    package var signs: Bool {
        switch material {
        case .pair(let pair): pair.signs
        case .secret: true
        }
    }

    /// Whether a signature is this key's. The time does not depend on what a signature of HS256
    /// should have been.
    func verify(_ signature: [UInt8], of message: [UInt8]) -> Bool {
        switch material {
        case .pair(let pair): return pair.verify(signature, of: message)
        case .secret(let secret):
            guard let hash = SignatureKey.hash(message, by: secret),
                signature.count == hash.count
            else { return false }
            return CRYPTO_memcmp(signature, hash, hash.count) == 0
        }
    }

    /// - Returns: `nil` if it has no private part.
    func sign(_ message: [UInt8]) -> [UInt8]? {
        switch material {
        case .pair(let pair): pair.sign(message)
        case .secret(let secret): SignatureKey.hash(message, by: secret)
        }
    }

    private static func hash(_ message: [UInt8], by secret: [UInt8]) -> [UInt8]? {
        var hash = [UInt8](repeating: 0, count: hashBytes)
        var count: UInt32 = 0
        let made = HMAC(
            EVP_sha256(), secret, Int32(clamping: secret.count), message, message.count, &hash,
            &count)
        return made != nil && Int(count) == hashBytes ? hash : nil
    }
}

/// Why a key can't be used. The text never has a part of the key.
package struct KeyError: Error, Sendable, Equatable, CustomStringConvertible {
    /// For people: a sentence without a full stop.
    package let description: String

    package init(_ description: String) {
        self.description = description
    }
}
