import FoundationEssentials
import JWTKit
import SyncBytes
package import SyncModel

/// The keys whose tokens a server accepts, by their ids.
package struct KeyRing: Sendable {
    private let keys: [Identifier: SignatureKey]

    /// How many keys there are at most.
    package static let maximumKeys = 256

    /// - Throws: ``KeyError`` if two keys have the same id, if there are none, or more than
    ///   ``maximumKeys``.
    package init(_ list: [SignatureKey]) throws(KeyError) {
        var keys: [Identifier: SignatureKey] = [:]
        for key in list {
            guard keys.updateValue(key, forKey: key.id) == nil else {
                throw KeyError("two keys have the id '\(key.id)'")
            }
        }
        guard !keys.isEmpty else { throw KeyError("there is no key") }
        guard keys.count <= KeyRing.maximumKeys else {
            throw KeyError("there are more than \(KeyRing.maximumKeys) keys")
        }
        self.keys = keys
    }

    package subscript(id: Identifier) -> SignatureKey? { keys[id] }

    package var ids: Set<Identifier> { Set(keys.keys) }

    /// The key that signs: of those that can, the first one by its id.
    var signing: SignatureKey? {
        keys.values.filter(\.signs).min { $0.id < $1.id }
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

extension SignatureKey {
    /// How long the secret of HS256 is at least, as RFC 7518 asks.
    static let leastSecretBytes = 32

    /// Reads the keys in a file: a PEM with one public or private key, a JWK, or a JWK set. Of a
    /// set, keys that are not for signatures of these algorithms are left out.
    ///
    /// - Parameters:
    ///   - name: the id of a key that has none of its own.
    package static func read(
        _ text: String, named name: String
    ) async throws(KeyError) -> [SignatureKey] {
        if text.contains("-----BEGIN") { return [try await read(pem: text, id: name)] }
        let data = Data(text.utf8)
        if let set = try? JSONDecoder().decode(KeySet.self, from: data) {
            var keys: [SignatureKey] = []
            for key in set.keys where key.isForSignatures {
                guard let id = key.kid else { throw KeyError("a key of a set has no 'kid'") }
                keys.append(try await key.make(id))
            }
            return keys
        }
        guard let key = try? JSONDecoder().decode(WebKey.self, from: data) else {
            throw KeyError("this is no PEM, JWK or JWK set")
        }
        return [try await key.make(key.kid ?? name)]
    }

    private static func read(pem: String, id: String) async throws(KeyError) -> SignatureKey {
        if let key = try? EdDSA.PrivateKey(pem: pem) { return try await make(id, key) }
        if let key = try? EdDSA.PublicKey(pem: pem) { return try await make(id, key) }
        if let key = try? ES256PrivateKey(pem: pem) { return try await make(id, key) }
        if let key = try? ES256PublicKey(pem: pem) { return try await make(id, key) }
        throw KeyError("this PEM is no key of Ed25519 or P-256")
    }

    static func make(
        _ id: String, _ key: EdDSA.PrivateKey
    ) async throws(KeyError) -> SignatureKey {
        let mark = Self.mark(of: key.publicKey.rawRepresentation)
        return try await make(id, .eddsa, signs: true, mark) { await $0.add(eddsa: key) }
    }

    static func make(
        _ id: String, _ key: EdDSA.PublicKey
    ) async throws(KeyError) -> SignatureKey {
        let mark = Self.mark(of: key.rawRepresentation)
        return try await make(id, .eddsa, signs: false, mark) { await $0.add(eddsa: key) }
    }

    static func make(
        _ id: String, _ key: ES256PrivateKey
    ) async throws(KeyError) -> SignatureKey {
        let mark = Self.mark(of: key.publicKey.pemRepresentation.utf8)
        return try await make(id, .es256, signs: true, mark) { await $0.add(ecdsa: key) }
    }

    static func make(
        _ id: String, _ key: ES256PublicKey
    ) async throws(KeyError) -> SignatureKey {
        let mark = Self.mark(of: key.pemRepresentation.utf8)
        return try await make(id, .es256, signs: false, mark) { await $0.add(ecdsa: key) }
    }

    static func make(_ id: String, secret: [UInt8]) async throws(KeyError) -> SignatureKey {
        guard secret.count >= leastSecretBytes else {
            throw KeyError("a secret of HS256 has at least \(leastSecretBytes) bytes")
        }
        let key = HMACKey(from: secret)
        return try await make(id, .hs256, signs: true, Self.mark(of: secret)) {
            await $0.add(hmac: key, digestAlgorithm: .sha256)
        }
    }

    /// The first bytes of a hash of what verifies, so that each server, and the next one, has the
    /// same mark for a key.
    private static func mark(of bytes: some Sequence<UInt8>) -> UInt64 {
        SyncBytes.SHA256.hash(Array(bytes)).prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// The library makes algorithms only within a collection of keys, which is an actor. So they
    /// are made once, and verify without it.
    private static func make(
        _ name: String, _ algorithm: SignatureAlgorithm, signs: Bool, _ mark: UInt64,
        _ add: (JWTKeyCollection) async -> JWTKeyCollection
    ) async throws(KeyError) -> SignatureKey {
        guard let id = try? Identifier(name) else {
            throw KeyError(
                "a key's id has 1 to \(Identifier.maximumLength) bytes without control characters")
        }
        guard let signer = try? await add(JWTKeyCollection()).getKey(),
            signer.name == algorithm.rawValue
        else { throw KeyError("the key can't be used") }
        return SignatureKey(
            id: id, algorithm: algorithm, signs: signs, mark: mark, signer: signer)
    }
}
