package import SyncModel
import SyncWire

/// What became of a transaction.
package enum Answer: Equatable, Sendable {
    /// It is on disk.
    case committed(Commit)
    /// It was refused and changed nothing.
    case rejected(Rejection)
    /// The client ended first: it may have been taken, or not.
    case unknown(ClientError)
}

/// A transaction on its way.
struct Submission {
    /// Its number among the client's in the room, growing.
    let counter: UInt64
    let transaction: PackedTransaction
    /// What its base is of, if whoever made it has said so: then the server judges it, and not the
    /// client.
    let origin: Origin?
    /// The same; where it was not said, what the membership held then.
    let madeFor: Origin?
    let answer: (Answer) -> Void
    /// How many bytes it took when it was sent last.
    var bytes = 0
    /// It was sent on a connection that is lost, or to a store that failed, so it may have been
    /// taken already.
    var isRepeated = false
}
