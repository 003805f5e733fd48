package import SyncModel
import SyncWire

/// The result of a transaction.
package enum Answer: Equatable, Sendable {
    /// It is on disk.
    case committed(Commit)
    /// It was refused and changed nothing.
    case rejected(Rejection)
    /// The client ended first: it may be committed or not.
    case unknown(ClientError)
}

/// A transaction that is queued or in flight.
struct Submission {
    /// Its number among the client's in the room, growing.
    let counter: UInt64
    let transaction: PackedTransaction
    let hasGuards: Bool
    /// The history that its base belongs to, if the caller gave it: then the server checks it, and
    /// not the client.
    let origin: Origin?
    /// The same; if the caller gave none, the membership's origin at that time.
    let madeFor: Origin?
    let answer: (Answer) -> Void
    /// How many bytes it had when it was sent last.
    var bytes = 0
    /// It was sent on a connection that is lost, or to a store that failed, so it may be committed
    /// already.
    var isRepeated = false
}
