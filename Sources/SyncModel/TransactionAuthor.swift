/// Who made a revision of a room: one transaction.
public struct TransactionAuthor: Sendable, Hashable {
    /// The revision that the transaction made.
    public var revision: Revision
    /// Its number, as its client counts.
    public var number: UInt64
    /// The client's id.
    public var client: Identifier
    /// As whom the client had signed in for its newest transaction; empty if it had not.
    public var user: String

    /// Says who made a revision.
    public init(revision: Revision, number: UInt64, client: Identifier, user: String = "") {
        self.revision = revision
        self.number = number
        self.client = client
        self.user = user
    }
}
