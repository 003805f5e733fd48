import FoundationEssentials
import JWTKit

/// A key as JSON (RFC 7517), as far as it is used here.
struct WebKey: Codable {
    var kty: String
    var kid: String?
    var alg: String?
    var use: String?
    var crv: String?
    var x: String?
    var y: String?
    /// The private part of a key of Ed25519 or P-256.
    var d: String?
    /// The secret of HS256.
    var k: String?
}

struct KeySet: Decodable {
    let keys: [WebKey]
}

extension WebKey {
    /// The algorithm of this kind of key; `nil` if it is not used here.
    private var algorithm: SignatureAlgorithm? {
        switch (kty, crv) {
        case ("OKP", "Ed25519"): .eddsa
        case ("EC", "P-256"): .es256
        case ("oct", nil): .hs256
        default: nil
        }
    }

    /// Whether it is for signatures of an algorithm that is used here.
    var isForSignatures: Bool {
        guard let algorithm else { return false }
        return use ?? "sig" == "sig" && alg ?? algorithm.rawValue == algorithm.rawValue
    }

    func make(_ id: String) async throws(KeyError) -> SignatureKey {
        guard isForSignatures, let algorithm else {
            throw KeyError("'\(id)' is no key for signatures by EdDSA, ES256 or HS256")
        }
        let faulty = KeyError("the key '\(id)' is damaged")
        switch algorithm {
        case .eddsa:
            if let d {
                guard let key = try? EdDSA.PrivateKey(d: d, curve: .ed25519) else { throw faulty }
                return try await .make(id, key)
            }
            guard let x, let key = try? EdDSA.PublicKey(x: x, curve: .ed25519) else { throw faulty }
            return try await .make(id, key)
        case .es256:
            if let d {
                guard let key = try? ES256PrivateKey(key: d) else { throw faulty }
                return try await .make(id, key)
            }
            guard let x, let y, let key = try? ES256PublicKey(parameters: (x, y)) else {
                throw faulty
            }
            return try await .make(id, key)
        case .hs256:
            guard let secret = k.flatMap({ Base64URL.decode($0.utf8) }) else { throw faulty }
            return try await .make(id, secret: secret)
        }
    }
}
