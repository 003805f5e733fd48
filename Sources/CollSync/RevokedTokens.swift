/// Which tokens are taken back.
public enum RevokedTokens: Sendable, Hashable {
    /// One token, by its own id.
    case token(String)
    /// All tokens of a user that were issued until now.
    case user(String)
    /// A user's role in a room, by all tokens that were issued until now. The user's role elsewhere
    /// stays, and so does a role by a newer token.
    case role(of: String, in: String)
    /// All tokens that a key has signed, by the key's id.
    case key(String)
    /// All tokens that were issued until now, also this client's.
    case all
}
