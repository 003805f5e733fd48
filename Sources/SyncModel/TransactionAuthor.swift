/// The author of one transaction, and the revision that it made.
public struct TransactionAuthor: Sendable, Hashable {
    /// The revision that the transaction made.
    public var revision: Revision
    /// The transaction's number, as its client counts them.
    public var number: UInt64
    /// The client's id.
    public var client: Identifier
    /// The user that the client had signed in as for its newest transaction; empty if it had not.
    public var user: String

    /// Makes an author of a revision.
    public init(revision: Revision, number: UInt64, client: Identifier, user: String = "") {
        self.revision = revision
        self.number = number
        self.client = client
        self.user = user
    }
}
