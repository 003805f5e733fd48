import SyncAccess
import SyncBytes
import SyncModel

// Bugs that let users see or change what their tokens do not allow.
extension Canary {
    /// What the observer must say of the bug, among other things, in some runs: it has many rules,
    /// and these are the words of those that the bug breaks. Empty for bugs that have nothing to do
    /// with access.
    var accusations: Set<String> {
        switch self {
        case .acceptsExpired: ["it is welcome without a token that is valid"]
        case .opensOtherRooms:
            ["it is let into", "it gets a snapshot of", "it is told that there is"]
        case .promotesViewers: ["is acknowledged", "which no editor has made"]
        case .makesAdmins: ["it gets an answer of"]
        case .believesRevocations: ["it gets something, and its token is taken back"]
        default: []
        }
    }

    var isOfAccess: Bool { expected == .unallowed }

    /// The verifier, with the bug if it is one of tokens.
    func damaged(_ verifier: any TokenVerifier) -> any TokenVerifier {
        switch self {
        case .acceptsExpired: LenientVerifier(verifier: verifier, acceptsExpired: true) { $0 }
        case .opensOtherRooms:
            LenientVerifier(verifier: verifier) { $0 + [Grant(.viewer, in: .all)] }
        case .promotesViewers:
            LenientVerifier(verifier: verifier) { grants in
                grants.map { Grant(max($0.role, .editor), in: $0.rooms) }
            }
        case .makesAdmins:
            LenientVerifier(verifier: verifier) { grants in
                grants.map { Grant(.admin, in: $0.rooms) }
            }
        default: verifier
        }
    }
}

/// Verifies tokens, and gives other grants than they do.
private struct LenientVerifier: TokenVerifier {
    let verifier: any TokenVerifier
    var acceptsExpired = false
    let grants: @Sendable ([Grant]) -> [Grant]

    func verify(_ token: ForeignText, at now: UInt64) throws(TokenFailure) -> Access {
        let access = try verifier.verify(token, at: acceptsExpired ? 0 : now)
        return Access(
            user: access.user, displayName: access.displayName, grants: grants(access.roles.grants),
            token: access.token.map { facts in
                TokenFacts(
                    id: facts.id, key: facts.key, issued: facts.issued,
                    expires: acceptsExpired ? 99_999_999_999 : facts.expires)
            })
    }

    func knowsKey(_ id: Identifier, mark: UInt64) -> Bool {
        verifier.knowsKey(id, mark: mark)
    }
}
