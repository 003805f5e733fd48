package import SyncCounts
package import SyncModel
package import SyncWire

/// What the rooms of a loop have done since the server started, and how much they have now.
///
/// Counting is part of the work that it counts, so it takes no lock (``Count``), and it takes no
/// loop over members or transactions. The loop's rooms share one of these. A room that stands alone
/// has its own.
package final class RoomCounts: Sendable {
    /// Refused transactions, each time that one is answered, by ``Rejection/Code``.
    package let rejected = CountRow(Rejection.Code.allCases.count)
    /// Operations that lost when they were applied, by ``Superseded/Reason``.
    package let superseded = CountRow(Superseded.Reason.allCases.count)
    /// By ``CatchUp``.
    package let catchUps = CountRow(CatchUp.allCases.count)
    /// By ``HorizonMiss``.
    package let horizonMisses = CountRow(HorizonMiss.allCases.count)
    /// The bytes of each batch that was composed in a turn, before compression.
    package let batchBytes = Histogram(HistogramBounds.sizes)
    /// Steps of laying out in turns.
    package let layoutSteps = Count()
    /// Updates of views that were sent.
    package let viewUpdates = Count()
    /// Errors about requests, rooms and connections, by ``ErrorCode/number``.
    package let errors = CountRow(ErrorCode.numberCount)

    /// What was refused, by ``RoomLimit``.
    package let refusals = CountRow(RoomLimit.allCases.count)

    /// Open views.
    package let views = Count()
    /// Members of all rooms, as of the last count of each room's memory.
    package let members = Count()
    /// Transactions that wait to be applied, as of then.
    package let queuedTransactions = Count()

    package init() {}

    /// Counts an error that a client is sent.
    package func count(_ code: ErrorCode) {
        errors.add(at: Int(code.number))
    }

    /// Counts an answer that rejects a transaction.
    package func count(_ rejection: Rejection) {
        rejected.add(at: Int(rejection.code.rawValue))
    }

    /// Counts the operations of a commit that lost, if there are any.
    func count(_ losses: [Superseded]) {
        for loss in losses { superseded.add(at: Int(loss.reason.rawValue)) }
    }
}

/// How a member catches up with its room.
package enum CatchUp: Int, CaseIterable, Sendable {
    /// One batch, however many revisions it missed.
    case batch
    /// A batch for each revision.
    case eachRevision
    /// The content of the room.
    case snapshot
}

/// Where a revision turns out to be older than what the room remembers, so that a snapshot has to
/// be sent.
package enum HorizonMiss: Int, CaseIterable, Sendable {
    /// A client joins again, and was away too long.
    case join
    /// A member reads too slowly.
    case member
}

/// What a room adds to the sums of its loop, as of its last count.
struct RoomSizes: Equatable {
    var members = 0
    var queuedTransactions = 0
}

extension Room {
    /// The counts that the room adds to.
    package var counts: RoomCounts { accounts.counts }

    /// Adds what has changed since the last time to the loop's sums.
    ///
    /// - Parameter isClosed: whether the room has nothing any more.
    func countSizes(isClosed: Bool = false) {
        let former = accounts.sizes
        let now =
            isClosed
            ? RoomSizes()
            : RoomSizes(
                members: members.list.count, queuedTransactions: queue.transactions.count)
        if now == former { return }
        accounts.sizes = now
        counts.members.add(now.members - former.members)
        counts.queuedTransactions.add(now.queuedTransactions - former.queuedTransactions)
    }
}
