import SyncJSON

/// A new key as the texts of files.
package struct NewKey: Sendable {
    /// The file that signs: a PEM, or a JWK with the secret of HS256.
    package let signing: String
    /// The file that only verifies; `nil` for HS256, whose secret does both.
    package let verifying: String?

    /// The algorithms of which keys are made here. Keys of RSA are for those who have them already.
    package static let algorithms: [SignatureAlgorithm] = [.eddsa, .es256, .hs256]

    /// Makes a key from the system's random numbers.
    ///
    /// - Parameter id: the key's id, which a JWK contains.
    package init(_ algorithm: SignatureAlgorithm, id: String) throws(KeyError) {
        guard NewKey.algorithms.contains(algorithm) else {
            throw KeyError("keys of \(algorithm.rawValue) are not made here")
        }
        if algorithm == .hs256 {
            signing = NewKey.secret(id)
            verifying = nil
        } else {
            guard let pair = KeyPair(new: algorithm) else { throw KeyError("no key could be made") }
            signing = pair.privatePEM
            verifying = pair.publicPEM
        }
    }

    private static func secret(_ id: String) -> String {
        var random = SystemRandomNumberGenerator()
        let secret = (0..<SignatureKey.leastSecretBytes).map { _ in
            UInt8.random(in: 0...255, using: &random)
        }
        let key: JSONTree = [
            "alg": .text(SignatureAlgorithm.hs256.rawValue), "k": .text(Base64URL.encode(secret)),
            "kid": .text(id), "kty": "oct",
        ]
        return key.json
    }
}
