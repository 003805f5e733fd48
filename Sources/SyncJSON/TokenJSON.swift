package import SyncBytes
package import SyncModel

/// The first part of a token (RFC 7515): how it is signed, and by which key. Nobody has signed it,
/// so nothing of it is believed.
package struct TokenHeader: Sendable {
    package let algorithm: ForeignText
    /// The id of the key; `nil` if it names none, or none that a key could have.
    package let key: Identifier?
    /// Whether it asks for extensions.
    package let hasExtensions: Bool

    /// Reads it from JSON that may be anything. Other members are passed over.
    package init(_ text: UnsafeRawBufferPointer) throws(JSONError) {
        self = try JSONNode.parse(text) { node throws(JSONError) in
            try TokenHeader(node)
        }
    }

    private init(_ node: JSONNode) throws(JSONError) {
        var algorithm: ForeignText?
        var key: Identifier?
        var hasExtensions = false
        enum Key: JSONName, CaseIterable { case alg, kid, crit }
        for member in try node.members() {
            switch member.known(Key.self) {
            case .alg: algorithm = try member.node.text(atMost: TokenHeader.mostAlgorithmBytes)
            case .kid: key = try member.node.withText { try? Identifier(bytes: $0) }
            case .crit: hasExtensions = true
            case nil: break
            }
        }
        self.algorithm = try node.required(algorithm, "alg")
        self.key = key
        self.hasExtensions = hasExtensions
    }

    private static let mostAlgorithmBytes = 32
}

/// The claims of a token (RFC 7519), of which a server knows these. Times are seconds since 1970.
package struct TokenClaims: Sendable {
    /// The user.
    package let sub: ForeignText
    /// What others see as the user's name.
    package let name: ForeignText?
    /// The token's own id.
    package let jti: ForeignText
    package let iat: Double
    package let nbf: Double?
    package let exp: Double
    /// For whom the token is meant; `nil` if it does not say so.
    package let aud: [ForeignText]?
    /// Roles by patterns of rooms, in their order.
    package let rooms: [(pattern: ForeignText, role: Role?)]
    /// Who shares a room by the token; `nil` if that is not what it is for.
    package let sharer: SharerClaims?

    /// What a token by which a room is shared says of the sharer's own token.
    package struct SharerClaims: Sendable {
        package let sub: ForeignText
        package let jti: ForeignText
        package let iat: Double
        /// The id of its key.
        package let kid: ForeignText
        /// The mark of its key, in hexadecimal digits.
        package let key: ForeignText
    }

    /// Reads them from JSON that may be anything. Other members are passed over.
    package init(_ text: UnsafeRawBufferPointer) throws(JSONError) {
        self = try JSONNode.parse(text) { node throws(JSONError) in try TokenClaims(node) }
    }

    private init(_ node: JSONNode) throws(JSONError) {
        var texts: [Key: ForeignText] = [:]
        var times: [Key: Double] = [:]
        var (aud, rooms): ([ForeignText]?, [(ForeignText, Role?)]?)
        var sharer: SharerClaims?
        for member in try node.members() {
            let node = member.node
            guard let key = member.known(Key.self) else { continue }
            switch key {
            case .sub, .jti: texts[key] = try node.text()
            case .name: if !node.isNull { texts[key] = try node.text() }
            case .iat, .exp: times[key] = try node.number()
            case .nbf: if !node.isNull { times[key] = try node.number() }
            case .aud: if !node.isNull { aud = try node.audience() }
            case .rooms: rooms = try node.roles()
            case .sharer: if !node.isNull { sharer = try SharerClaims(node) }
            }
        }
        sub = try node.required(texts[.sub], "sub")
        jti = try node.required(texts[.jti], "jti")
        iat = try node.required(times[.iat], "iat")
        exp = try node.required(times[.exp], "exp")
        self.rooms = try node.required(rooms, "rooms")
        (name, nbf) = (texts[.name], times[.nbf])
        self.aud = aud
        self.sharer = sharer
    }

    private enum Key: JSONName, CaseIterable {
        case sub, name, jti, iat, nbf, exp, aud, rooms, sharer
    }
}

extension TokenClaims.SharerClaims {
    fileprivate init(_ node: JSONNode) throws(JSONError) {
        var texts: [Key: ForeignText] = [:]
        var iat: Double?
        enum Key: JSONName, CaseIterable { case sub, jti, iat, kid, key }
        for member in try node.members() {
            switch member.known(Key.self) {
            case .iat: iat = try member.node.number()
            case let key?: texts[key] = try member.node.text()
            case nil: break
            }
        }
        sub = try node.required(texts[.sub], "sub")
        jti = try node.required(texts[.jti], "jti")
        kid = try node.required(texts[.kid], "kid")
        key = try node.required(texts[.key], "key")
        self.iat = try node.required(iat, "iat")
    }
}

extension JSONNode {
    /// One name or several.
    fileprivate func audience() throws(JSONError) -> [ForeignText] {
        if isText { return [try text()] }
        return try elements { node throws(JSONError) in try node.text() }
    }

    fileprivate func roles() throws(JSONError) -> [(ForeignText, Role?)] {
        var roles: [(ForeignText, Role?)] = []
        for member in try members() {
            roles.append((member.key, try member.node.known()))
        }
        return roles
    }
}
