import SyncAccess
import SyncBytes
import SyncJSON
import SyncModel

/// What a token is to say (RFC 7519). Times are seconds since 1970.
package struct Claims: Sendable {
    /// The user.
    package var sub: String
    /// What others see as the user's name.
    package var name: String?
    /// The token's id, by which it can be revoked.
    package var jti: String
    package var iat: Double
    package var nbf: Double?
    package var exp: Double
    /// For whom the token is meant.
    package var aud: Audience?
    /// Roles by patterns of rooms.
    package var rooms: [String: String]
    /// Who shares a room by the token.
    package var sharer: Sharer?

    package init(
        user: String, displayName: String? = nil, id: String, issued: UInt64, expires: UInt64,
        rooms: [String: String]
    ) {
        sub = user
        name = displayName
        jti = id
        iat = Double(issued)
        exp = Double(expires)
        self.rooms = rooms
    }

    /// Who shares a room, and by which token: its id, its key, that key's mark and when it was
    /// issued.
    package struct Sharer: Sendable {
        package let sub: String
        package let jti: String
        package let kid: String
        package let key: String
        package let iat: Double

        /// - Parameter mark: 16 hexadecimal digits.
        package init(user: String, token: String, key: String, mark: String, issued: UInt64) {
            sub = user
            jti = token
            kid = key
            self.key = mark
            iat = Double(issued)
        }

        init(_ sharer: SyncAccess.Sharer) {
            let digits = String(sharer.keyMark, radix: 16)
            self.init(
                user: sharer.user.text, token: sharer.token.text, key: sharer.key.text,
                mark: String(repeating: "0", count: 16 - digits.count) + digits,
                issued: sharer.issued)
        }
    }

    /// One name or several.
    package enum Audience: Sendable {
        case one(String)
        case several([String])
    }
}

extension Claims {
    /// What stands in a token.
    var payload: JSONTree {
        var members: [JSONTree.Member] = [
            .init("sub", .text(sub)), .init("jti", .text(jti)), .init("iat", .number(iat)),
            .init("exp", .number(exp)),
            .init(
                "rooms",
                .object(rooms.sorted { $0.key < $1.key }.map { .init($0.key, .text($0.value)) })),
        ]
        if let name { members.append(.init("name", .text(name))) }
        if let nbf { members.append(.init("nbf", .number(nbf))) }
        switch aud {
        case .one(let name)?: members.append(.init("aud", .text(name)))
        case .several(let names)?: members.append(.init("aud", .list(names.map { .text($0) })))
        case nil: break
        }
        if let sharer { members.append(.init("sharer", sharer.payload)) }
        return .object(members)
    }
}

extension Claims.Sharer {
    fileprivate var payload: JSONTree {
        [
            "sub": .text(sub), "jti": .text(jti), "kid": .text(kid), "key": .text(key),
            "iat": .number(iat),
        ]
    }
}

/// What a server asks of the tokens that its keys have signed.
package struct TokenPolicy: Sendable {
    /// How many seconds may be between a token's issue and its end.
    package var maximumLifetime: UInt64 = 86_400
    /// The same for tokens by which rooms are shared.
    package var maximumShareLifetime: UInt64 = 86_400
    /// The server's name in the claim `aud`, which a token need not have.
    package var audience = "collsync"

    package init() {}
}

extension TokenClaims {
    /// Checks the claims of a token that a key has signed.
    ///
    /// - Parameter now: seconds since 1970.
    func access(
        by key: SignatureKey, at now: UInt64, _ policy: TokenPolicy
    ) throws(TokenFailure) -> Access {
        let issued = try TokenClaims.seconds(iat, "iat")
        let expires = try TokenClaims.seconds(exp, "exp")
        guard expires > now else { throw TokenFailure(.expired, "the token has expired") }
        guard issued <= now + TokenBounds.clockSkew else {
            throw TokenFailure(.bad, "the token was issued in the future")
        }
        if let nbf, try TokenClaims.seconds(nbf, "nbf") > now + TokenBounds.clockSkew {
            throw TokenFailure(.bad, "the token is not valid yet")
        }
        let longest = sharer == nil ? policy.maximumLifetime : policy.maximumShareLifetime
        guard expires <= issued + longest else {
            throw TokenFailure(.bad, "the token's lifetime is longer than \(longest) seconds")
        }
        if let aud, !aud.contains(where: { $0.isSame(as: policy.audience) }) {
            throw TokenFailure(.bad, "the token is meant for another service")
        }
        return Access(
            user: UserName(try TokenClaims.name(sub, "sub")), displayName: try shownName(),
            grants: try grants(),
            token: TokenFacts(
                id: try TokenClaims.name(jti, "jti"), key: key.id, keyMark: key.mark,
                issued: issued,
                expires: expires),
            sharer: try sharer.map { sharer throws(TokenFailure) in try sharer.checked() })
    }

    /// Whom they name, as far as the names are valid.
    var bearer: TokenBearer {
        TokenBearer(
            user: UserName(try? TokenClaims.name(sub, "sub")),
            tokenID: try? TokenClaims.name(jti, "jti"),
            sharer: UserName(try? sharer?.checked().user))
    }

    fileprivate static func seconds(_ value: Double, _ claim: String) throws(TokenFailure) -> UInt64
    {
        // Times beyond the year 5000 are no times.
        guard (0..<1e11).contains(value) else {
            throw TokenFailure(.bad, "the claim '\(claim)' is no time")
        }
        return UInt64(value)
    }

    fileprivate static func name(
        _ text: ForeignText, _ claim: String
    ) throws(TokenFailure) -> Identifier {
        guard let name = text.withBytes({ try? Identifier(bytes: $0) }) else {
            throw TokenFailure(
                .bad,
                "the claim '\(claim)' has 1 to \(Identifier.maximumLength) bytes without control "
                    + "characters")
        }
        return name
    }

    private func shownName() throws(TokenFailure) -> String {
        guard let name else { return "" }
        let shown = name.shown
        guard name.byteCount <= Access.maximumDisplayNameBytes,
            !shown.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
        else {
            throw TokenFailure(
                .bad,
                "the claim 'name' has at most \(Access.maximumDisplayNameBytes) bytes without "
                    + "control characters")
        }
        return shown
    }

    private func grants() throws(TokenFailure) -> [Grant] {
        guard rooms.count <= Access.maximumGrants else {
            throw TokenFailure(
                .bad, "the claim 'rooms' has more than \(Access.maximumGrants) patterns")
        }
        var grants: [Grant] = []
        for (text, role) in rooms {
            guard let pattern = text.withBytes({ RoomPattern(bytes: $0) }), let role else {
                throw TokenFailure(
                    .bad, "the claim 'rooms' has a pattern or a role that there is not")
            }
            grants.append(Grant(role, in: pattern))
        }
        return grants
    }
}

extension TokenClaims.SharerClaims {
    fileprivate func checked() throws(TokenFailure) -> Sharer {
        guard key.byteCount == 16, let mark = UInt64(key.shown, radix: 16) else {
            throw TokenFailure(.bad, "the claim 'sharer' has no mark of a key")
        }
        return Sharer(
            user: try TokenClaims.name(sub, "sharer"), token: try TokenClaims.name(jti, "sharer"),
            key: try TokenClaims.name(kid, "sharer"), keyMark: mark,
            issued: try TokenClaims.seconds(iat, "sharer"))
    }
}
