import FoundationEssentials
import JWTKit

/// A new key as the texts of files.
package struct NewKey: Sendable {
    /// The file that signs: a PEM, or a JWK with the secret of HS256.
    package let signing: String
    /// The file that only verifies; `nil` for HS256, whose secret does both.
    package let verifying: String?

    /// Makes a key from the system's random numbers.
    ///
    /// - Parameter id: the key's id, which a JWK contains.
    package init(_ algorithm: SignatureAlgorithm, id: String) throws(KeyError) {
        switch algorithm {
        case .eddsa:
            guard let key = try? EdDSA.PrivateKey() else {
                throw KeyError("no key could be made")
            }
            signing = key.pemRepresentation
            verifying = key.publicKey.pemRepresentation
        case .es256:
            let key = ES256PrivateKey()
            signing = key.pemRepresentation
            verifying = key.publicKey.pemRepresentation
        case .hs256:
            var random = SystemRandomNumberGenerator()
            let secret = (0..<SignatureKey.leastSecretBytes).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            let key = WebKey(
                kty: "oct", kid: id, alg: algorithm.rawValue, k: Base64URL.encode(secret))
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys]
            guard let data = try? encoder.encode(key) else {
                throw KeyError("no key could be made")
            }
            signing = String(decoding: data, as: UTF8.self)
            verifying = nil
        }
    }
}
