package import SyncBytes
package import SyncModel

/// Verifies the tokens that connections show.
package protocol TokenVerifier: Sendable {
    /// Refuses what can't be a token of one of its keys, before a worker is asked to verify it. It
    /// takes time for the token's bytes only.
    func check(_ token: ForeignText) throws(TokenFailure)

    /// Verifies a token from a stranger. It may take a millisecond.
    ///
    /// - Parameters:
    ///   - token: at most ``TokenBounds/maximumBytes`` long; a longer one is none.
    ///   - now: seconds since 1970.
    func verify(_ token: ForeignText, at now: UInt64) throws(TokenFailure) -> Access

    /// Whether it still has a key, see ``TokenFacts``. O(1).
    func knowsKey(_ id: Identifier, mark: UInt64) -> Bool
}

extension TokenVerifier {
    /// Refuses nothing beforehand.
    package func check(_ token: ForeignText) throws(TokenFailure) {}

    /// Whether it still has the key that signed a token which it has verified, and that of the
    /// token by which the room was shared. O(1).
    package func knowsKeys(of access: Access) -> Bool {
        access.keys.allSatisfy { knowsKey($0.id, mark: $0.mark) }
    }
}

/// A key whose tokens a verifier accepts no longer.
package struct RetiredKey: Sendable, Equatable {
    package let id: Identifier
    /// As ``TokenFacts/keyMark``.
    package let mark: UInt64
    /// Whether another key has its id now.
    package let isReplaced: Bool

    package init(id: Identifier, mark: UInt64 = 0, isReplaced: Bool) {
        self.id = id
        self.mark = mark
        self.isReplaced = isReplaced
    }
}

/// Why a token is not accepted.
package struct TokenFailure: Error, Sendable, Equatable {
    package enum Kind: Sendable, CaseIterable {
        /// It is no token, its signature or a claim is wrong, or it is not valid yet.
        case bad
        /// No key of the server has the id that the token names.
        case unknownKey
        case expired
        case revoked
    }

    package let kind: Kind
    /// For people: a sentence without a full stop, and without anything of the token.
    package let text: String
    /// Whose token it is; `nil` if no key has signed it.
    package let bearer: TokenBearer?

    package init(_ kind: Kind, _ text: String, of bearer: TokenBearer? = nil) {
        self.kind = kind
        self.text = text
        self.bearer = bearer
    }

    package static let unknownKey = TokenFailure(
        .unknownKey, "the key that the token names is not known here")
}

/// Whom a token names that a key has signed.
package struct TokenBearer: Sendable, Equatable {
    package let user: UserName
    /// The token's own id, if it is known.
    package let tokenID: Identifier?
    /// Who has shared a room by it; nobody if that is not what it is for.
    package let sharer: UserName

    package init(user: UserName, tokenID: Identifier?, sharer: UserName = .nobody) {
        self.user = user
        self.tokenID = tokenID
        self.sharer = sharer
    }

    package init(_ access: Access) {
        self.init(
            user: access.user, tokenID: access.token?.id,
            sharer: UserName(access.sharer?.user))
    }
}
