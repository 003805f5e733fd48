import ModelSupport
package import SyncAccess
package import SyncBytes
package import SyncModel

/// Tokens that are read as they stand: `USER:PATTERN=ROLE,…:EXPIRES:ID`, with the time in seconds
/// of the simulated clock. `:KEY:ISSUED` may follow. Else the key is ``key``, and a token with the
/// id `new` is issued when it is verified, another one long before. Behind these may follow who
/// shares a room by it, as `:USER:ID:KEY:ISSUED` of the sharer's own token. `broken`, `unknown` and
/// `revoked` are refused with these reasons, and `shapeless` before it is verified.
package final class TestTokens: TokenVerifier, @unchecked Sendable {
    // Sendable, as a simulation has one thread.
    package private(set) var verified = 0
    /// The key with which all tokens are signed that name none. A former one is not known any more.
    package var key: Identifier = "key" {
        didSet {
            formerKeys.insert(oldValue)
            formerKeys.remove(key)
        }
    }
    private var formerKeys: Set<Identifier> = []

    package init() {}

    package func check(_ token: ForeignText) throws(TokenFailure) {
        if token.isSame(as: "shapeless") { throw TokenFailure(.bad, "it has no form") }
    }

    package func verify(_ text: ForeignText, at now: UInt64) throws(TokenFailure) -> Access {
        let token = text.shown
        verified += 1
        switch token {
        case "broken": throw TokenFailure(.bad, "there is a flaw")
        case "unknown": throw TokenFailure(.unknownKey, "there is no such key")
        case "revoked": throw TokenFailure(.revoked, "it was taken back")
        default: break
        }
        let parts = token.split(separator: ":", omittingEmptySubsequences: false)
        guard [4, 6, 10].contains(parts.count), let expires = UInt64(parts[2]) else {
            throw TokenFailure(.bad, "it is no token")
        }
        guard expires > now else {
            let bearer = TokenBearer(
                user: UserName(stringLiteral: String(parts[0])),
                tokenID: try? Identifier(String(parts[3])))
            throw TokenFailure(.expired, "it has expired", of: bearer)
        }
        let grants = parts[1].split(separator: ",").compactMap { text -> Grant? in
            let pair = text.split(separator: "=")
            guard let role = Role(String(pair[1])) else { return nil }
            return RoomPattern(String(pair[0])).map { Grant(role, in: $0) }
        }
        let isWhole = parts.count > 4
        let issued = isWhole ? UInt64(parts[5]) ?? 0 : parts[3] == "new" ? now : 0
        return Access(
            user: UserName(stringLiteral: String(parts[0])), displayName: "Mx \(parts[0])",
            grants: grants,
            token: TokenFacts(
                id: Identifier(stringLiteral: String(parts[3])),
                key: isWhole ? Identifier(stringLiteral: String(parts[4])) : key, issued: issued,
                expires: expires),
            sharer: parts.count == 10 ? TestTokens.sharer(parts[6...].map(String.init)) : nil)
    }

    private static func sharer(_ parts: [String]) -> Sharer {
        Sharer(
            user: Identifier(stringLiteral: parts[0]), token: Identifier(stringLiteral: parts[1]),
            key: Identifier(stringLiteral: parts[2]), issued: UInt64(parts[3]) ?? 0)
    }

    package func knowsKey(_ id: Identifier, mark: UInt64) -> Bool {
        !formerKeys.contains(id)
    }
}

extension TestTokens {
    /// Far in the future.
    package static let never: UInt64 = 99_999_999_999

    package static func token(
        _ user: String, _ rooms: String, expires: UInt64 = never, id: String = "t"
    ) -> String {
        "\(user):\(rooms):\(expires):\(id)"
    }

    package static func token(
        _ user: String, _ rooms: String, expires: UInt64, id: String, key: String, issued: UInt64
    ) -> String {
        "\(token(user, rooms, expires: expires, id: id)):\(key):\(issued)"
    }
}
