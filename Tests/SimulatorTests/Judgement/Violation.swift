/// Something that must not be, as a run has shown it.
struct Violation: CustomStringConvertible {
    enum Kind: String {
        /// What a client was told is not on disk.
        case notDurable
        /// One transaction stands twice in the log, or was answered in two ways.
        case appliedTwice
        /// The log holds what nobody has sent.
        case invented
        /// A transaction is in another history than it was made for, or was refused as if it were.
        case wrongHistory
        /// What a client was shown of a room is not what the twin makes of the log.
        case wrongState
        /// What a client was told of its transaction is not what the rules make, or clients
        /// disagree.
        case differs
        /// A batch could not be performed.
        case illegalBatch
        /// An update of a view did not fit what it showed.
        case illegalUpdate
        /// Something grows over its bound.
        case unbounded
        /// Somebody who behaves waits too long, or is turned away, because of others.
        case unserved
        /// Long after the last fault not everybody has everything.
        case unsettled
        /// A side was sent what the protocol does not allow.
        case brokenProtocol
        /// What is on disk is not what a room wrote.
        case damaged
    }

    var kind: Kind
    var text: String

    var description: String { "\(kind.rawValue): \(text)" }
}
