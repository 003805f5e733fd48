import ModelSupport
package import SyncAccess
package import SyncBytes
package import SyncModel

/// Verifies tokens that are read as they stand: `USER:ROLE:SECONDS`, for all rooms, until that time
/// since 1970.
package struct PlainTokens: TokenVerifier {
    package init() {}

    package func verify(_ text: ForeignText, at now: UInt64) throws(TokenFailure) -> Access {
        let token = text.shown
        let parts = token.split(separator: ":").map(String.init)
        guard parts.count == 3, let role = Role(parts[1]), let end = UInt64(parts[2]) else {
            throw TokenFailure(.bad, "it is no token")
        }
        guard end > now else { throw TokenFailure(.expired, "it has expired") }
        return Access(
            user: UserName(stringLiteral: parts[0]), displayName: "Mx \(parts[0])",
            grants: [Grant(role, in: .all)],
            token: TokenFacts(
                id: Identifier(stringLiteral: token), key: "key", issued: now, expires: end))
    }

    package func knowsKey(_ id: Identifier, mark: UInt64) -> Bool { true }

    /// A token that does not expire during a test.
    package static func token(_ user: String, _ role: String = "editor") -> String {
        "\(user):\(role):99999999999"
    }
}
