package import SyncAccess
package import SyncBytes
package import SyncJSON
package import SyncModel

/// A token as text: a JSON web token (RFC 7519) in three parts.
package struct WebToken {
    private let signed: [UInt8]
    private let signature: [UInt8]
    private let payload: [UInt8]
    private let header: TokenHeader

    /// The most bytes of the first part, as it stands in the text.
    private static let mostHeaderBytes = 2048

    /// Reads the first part of a stranger's text, and passes over the rest.
    static func header(of text: ForeignText) throws(TokenFailure) -> TokenHeader {
        guard text.byteCount <= TokenBounds.maximumBytes else {
            throw TokenFailure(
                .bad, "a token has at most \(TokenBounds.maximumBytes) bytes")
        }
        let first = text.withBytes { bytes in
            [UInt8](bytes.prefix(mostHeaderBytes + 1).prefix { $0 != UInt8(ascii: ".") })
        }
        guard first.count <= mostHeaderBytes, let head = Base64URL.decode(first),
            let header = try? head.withUnsafeBytes({ try TokenHeader($0) })
        else { throw TokenFailure(.bad, "this is no token") }
        return header
    }

    /// Takes a stranger's text apart. Nothing of it is believed yet.
    package init(parsing text: ForeignText) throws(TokenFailure) {
        let header = try WebToken.header(of: text)
        let bytes = text.withBytes { [UInt8]($0) }
        let parts = bytes.split(
            separator: UInt8(ascii: "."), maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count == 3, let payload = Base64URL.decode(parts[1]),
            let signature = Base64URL.decode(parts[2])
        else { throw TokenFailure(.bad, "this is no token") }
        signed = Array(bytes[..<parts[1].endIndex])
        self.signature = signature
        self.payload = payload
        self.header = header
    }

    /// The id of the key that it names.
    package var key: Identifier? { header.key }

    /// The algorithm that it names.
    package var algorithm: ForeignText { header.algorithm }

    /// What it says, whether that is signed or not: for people only.
    package var unverifiedClaims: TokenClaims? {
        payload.withUnsafeBytes { try? TokenClaims($0) }
    }

    /// The claims, if a key has signed them.
    package func claims(in keys: KeyRing) throws(TokenFailure) -> (TokenClaims, SignatureKey) {
        let key = try header.signer(in: keys)
        guard key.verify(signature, of: signed) else {
            throw TokenFailure(.bad, "the token's signature is wrong")
        }
        // Only what a key has signed is read.
        guard let claims = unverifiedClaims else {
            throw TokenFailure(
                .bad, "the token lacks a claim: 'sub', 'jti', 'iat', 'exp' or 'rooms'")
        }
        return (claims, key)
    }

    /// Signs claims.
    ///
    /// - Throws: ``KeyError`` if the key can't sign, or if JSON has no number for a time.
    package static func sign(_ claims: Claims, by key: SignatureKey) throws(KeyError) -> String {
        guard [claims.iat, claims.exp, claims.nbf ?? 0].allSatisfy(\.isFinite) else {
            throw KeyError("the claims can't be written")
        }
        let header: JSONTree = [
            "alg": .text(key.algorithm.rawValue), "kid": .text(key.id.text), "typ": "JWT",
        ]
        let head = Base64URL.encode(header.json.utf8)
        let signed = "\(head).\(Base64URL.encode(claims.payload.json.utf8))"
        guard let signature = key.sign([UInt8](signed.utf8)) else {
            throw KeyError("the key '\(key.id)' has no private part, so it can't sign")
        }
        return "\(signed).\(Base64URL.encode(signature))"
    }
}

extension TokenHeader {
    /// The key that it names, if the token's signature may be that key's.
    func signer(in keys: KeyRing) throws(TokenFailure) -> SignatureKey {
        guard let id = key else { throw TokenFailure(.bad, "the token names no key") }
        guard let key = keys[id] else {
            throw .unknownKey
        }
        guard algorithm.choice() == key.algorithm else {
            throw TokenFailure(.bad, "the token's key is not for its algorithm")
        }
        guard !hasExtensions else {
            throw TokenFailure(.bad, "the token needs something that is not supported")
        }
        return key
    }
}
