/// A violation that a run has found.
struct Violation: CustomStringConvertible {
    enum Kind: String {
        /// A client was sent something that is not on disk.
        case notDurable
        /// A transaction is in the log twice, or has two different answers.
        case appliedTwice
        /// The log has a transaction that no client sent.
        case invented
        /// A transaction is in another history than it was made for, or was refused as if it were.
        case wrongHistory
        /// A client's state of a room differs from the twin's.
        case wrongState
        /// A transaction's answer differs from the merge rules, or clients disagree.
        case differs
        /// A batch could not be applied.
        case illegalBatch
        /// An update of a view did not fit its screen.
        case illegalUpdate
        /// Something exceeds its bound.
        case unbounded
        /// A well-behaved client waits too long or is refused, because of others.
        case unserved
        /// Long after the last fault, not all clients have everything.
        case unsettled
        /// One side received something that the protocol does not allow.
        case brokenProtocol
        /// The disk has something that no room wrote.
        case damaged
        /// Somebody saw or changed what the token does not allow.
        case unallowed
    }

    var kind: Kind
    var text: String

    var description: String { "\(kind.rawValue): \(text)" }
}
