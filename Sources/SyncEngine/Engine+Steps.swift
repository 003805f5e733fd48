package import SyncModel

/// What a live server allows one transaction.
///
/// These limits are a policy and no merge rule: the log says what was accepted, and a replay sets
/// no limits.
package struct SubmitLimits: Sendable, Equatable {
    /// How many steps it may take, counted as if nothing were remembered from earlier transactions.
    package var transactionSteps = Int.max
    /// How many bytes a content may have after merging, at most ``Engine/maximumContentBytes``. A
    /// content that is larger may still shrink.
    package var contentBytes = Engine.maximumContentBytes {
        didSet { contentBytes = min(contentBytes, Engine.maximumContentBytes) }
    }

    /// How many items and sections the room may have. A room that has more may keep them, but gets
    /// no further ones. An operation may make or bring back some that it does not name.
    package var items = Int.max
    package var sections = Int.max

    /// Makes the widest limits: only the engine's own bounds apply.
    package init() {}
}

/// What a room has as many of as it may.
package enum CountLimit: Sendable {
    case items
    case sections
}

/// Why a transaction was not applied. It has changed nothing.
package enum SubmitStop: Error, Equatable {
    /// It is refused for good.
    case rejected(Rejection)
    /// It takes more steps than the caller wanted to spend now; it may be submitted again with
    /// more.
    case overSteps
}

/// Steps: the unit in which the engine counts its work.
///
/// A step is one operation, one guard, one node or journal entry that is visited, one thing that is
/// ended or made, or 64 bytes of content that are read or written. The same history takes the same
/// steps, whatever the clock says. What is cached from earlier transactions saves work, but counts
/// in full against ``SubmitLimits/transactionSteps``: no client could keep to a limit that depends
/// on a cache.
extension Engine {
    /// The steps that this many bytes take.
    @inline(__always)
    static func steps(forBytes bytes: Int) -> Int { bytes >> 6 }

    /// Counts work of the transaction that is being applied.
    @inline(__always)
    func spend(_ steps: Int) { draft.steps &+= steps }

    /// Whether the transaction is over a limit of steps, so that it need not go on.
    @inline(__always)
    var isOverSteps: Bool { draft.steps > draft.stepEnd }

    /// Why a transaction that is over its steps stops.
    var stopOverSteps: SubmitStop {
        guard draft.steps &+ draft.savedSteps > draft.transactionSteps else {
            return .overSteps
        }
        return .rejected(
            Rejection(
                operation: draft.operation, code: .limitExceeded,
                message: "the transaction takes more than \(draft.transactionSteps) steps"
                    + " (transaction_steps); split it"))
    }
}
