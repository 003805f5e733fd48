import SyncBytes
import SyncJSON

extension SignatureKey {
    /// Reads the keys in a file: a PEM with one public or private key, a JWK, or a JWK set. Of a
    /// set, keys that are not for signatures of these algorithms are left out.
    ///
    /// - Parameters:
    ///   - name: the id of a key that has none of its own.
    package static func read(
        _ text: String, named name: String
    ) throws(KeyError) -> [SignatureKey] {
        if text.contains("-----BEGIN") {
            guard let pair = KeyPair(pem: text) else {
                throw KeyError(
                    "this PEM is no key of Ed25519, P-256, or RSA of 2048 to 4096 bits, without a "
                        + "password")
            }
            return [try SignatureKey(name, pair)]
        }
        guard let file = text.withBytes({ try? WebKeyFile($0) }) else {
            throw KeyError("this is no PEM, JWK or JWK set")
        }
        switch file {
        case .key(let key): return [try make(key, key.id?.shown ?? name)]
        case .set(let set):
            guard set.count <= KeyRing.maximumKeys else {
                throw KeyError("there are more than \(KeyRing.maximumKeys) keys")
            }
            var keys: [SignatureKey] = []
            for key in set where key.signingAlgorithm != nil {
                guard let id = key.id else { throw KeyError("a key of a set has no 'kid'") }
                keys.append(try make(key, id.shown))
            }
            return keys
        }
    }

    private static func make(_ key: WebKey, _ id: String) throws(KeyError) -> SignatureKey {
        guard let algorithm = key.signingAlgorithm else {
            throw KeyError("'\(id)' is no key for signatures by EdDSA, ES256, HS256 or RS256")
        }
        if algorithm == .hs256 {
            guard let secret = key.bytes(.k) else { throw KeyError("the key '\(id)' is damaged") }
            return try SignatureKey(id, secret: secret)
        }
        guard let pair = key.pair(algorithm) else {
            let size = algorithm == .rs256 ? ", or has not 2048 to 4096 bits" : ""
            throw KeyError("the key '\(id)' is damaged\(size)")
        }
        return try SignatureKey(id, pair)
    }
}

extension WebKey {
    /// The algorithm by which it signs; `nil` if it is for something else, or of a kind that is not
    /// used here.
    fileprivate var signingAlgorithm: SignatureAlgorithm? {
        guard let algorithm = algorithmOfKind, use?.isSame(as: "sig") ?? true,
            self.algorithm?.isSame(as: algorithm.rawValue) ?? true,
            operations?.contains(where: { $0.isSame(as: "sign") || $0.isSame(as: "verify") })
                ?? true
        else { return nil }
        return algorithm
    }

    private var algorithmOfKind: SignatureAlgorithm? {
        if kind.isSame(as: "oct") { return .hs256 }
        if kind.isSame(as: "RSA") { return .rs256 }
        if kind.isSame(as: "EC"), curve?.isSame(as: "P-256") == true { return .es256 }
        if kind.isSame(as: "OKP"), curve?.isSame(as: "Ed25519") == true { return .eddsa }
        return nil
    }

    fileprivate func bytes(_ part: Part) -> [UInt8]? {
        parts[part]?.withBytes { Base64URL.decode($0) }
    }

    /// The key; `nil` if a part is missing or wrong, or if its private part is another key's.
    fileprivate func pair(_ algorithm: SignatureAlgorithm) -> KeyPair? {
        let verifying = verifyingPair(algorithm)
        guard parts[.d] != nil else { return verifying }
        guard let signing = signingPair(algorithm) else { return nil }
        if parts[.x] == nil && parts[.n] == nil { return signing }
        return verifying.map(signing.verifiesSame) == true ? signing : nil
    }

    private func verifyingPair(_ algorithm: SignatureAlgorithm) -> KeyPair? {
        switch algorithm {
        case .eddsa: bytes(.x).flatMap { KeyPair(ed25519: $0, isPrivate: false) }
        case .es256: all([.x, .y]).flatMap { KeyPair(p256: $0[0], $0[1]) }
        case .rs256: all([.n, .e]).flatMap { KeyPair(rsa: $0, isPrivate: false) }
        case .hs256: nil
        }
    }

    private func signingPair(_ algorithm: SignatureAlgorithm) -> KeyPair? {
        switch algorithm {
        case .eddsa: bytes(.d).flatMap { KeyPair(ed25519: $0, isPrivate: true) }
        case .es256: bytes(.d).flatMap { KeyPair(p256: $0) }
        case .rs256:
            all([.n, .e, .d, .p, .q, .dp, .dq, .qi]).flatMap { KeyPair(rsa: $0, isPrivate: true) }
        case .hs256: nil
        }
    }

    private func all(_ parts: [Part]) -> [[UInt8]]? {
        let bytes = parts.compactMap { self.bytes($0) }
        return bytes.count == parts.count ? bytes : nil
    }
}
