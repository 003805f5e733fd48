import SyncEngine

/// A transaction that takes more than a loop may spend in a turn, with the state that it is applied to,
/// on its way to a worker and back.
///
/// Invariant: from ``Room/lend()`` to ``Room/takeBack(_:)`` nobody but ``work()`` touches the state. So
/// it may go from thread to thread; the two mailboxes that it goes through order what each has written.
package final class Loan: @unchecked Sendable {
    fileprivate let state: RoomState
    fileprivate let author: Ledger.Author
    fileprivate let isNew: Bool
    fileprivate var result: Ledger.Result?
    private let transaction: PackedTransaction
    private let counter: UInt64
    private let limits: SubmitLimits

    fileprivate init(
        _ transaction: TransactionView, counter: UInt64, author: Ledger.Author, isNew: Bool,
        to state: RoomState, within limits: SubmitLimits
    ) {
        self.transaction = PackedTransaction(transaction)
        self.counter = counter
        self.author = author
        self.isNew = isNew
        self.state = state
        self.limits = limits
    }

    /// Applies the transaction. Called once, on any thread.
    package func work() {
        result = transaction.withView { view in
            state.perform(view, counter: counter, author: author, within: limits)
        }
    }
}

// A transaction that can't be cut into turns. While it is with a worker the room takes in what comes, and
// does nothing that needs its state; its members wait, those of other rooms do not.
extension Room {
    /// Gives the next transaction away, if it takes more than a turn has for it.
    ///
    /// - Returns: what a worker is to do; ``takeBack(_:)`` has to follow.
    package func lend() -> Loan? {
        guard isNextLarge, !isLent, !isSuspended else { return nil }
        isNextLarge = false
        if !draft.isBegun { beginDraft() }
        var loan: Loan?
        queue.take(keeping: 0) { transaction, counter, member, _ in
            let known = member.author ?? state.ledger.author(member.client)
            let author = known ?? state.enter(member.client, secret: member.secret)
            loan = Loan(
                transaction, counter: counter, author: author, isNew: known == nil, to: state,
                within: submitLimits)
            // It stays in front until it is back.
            return false
        }
        isLent = loan != nil
        return loan
    }

    /// Goes on with what a worker did.
    package func takeBack(_ loan: Loan) {
        guard isLent, loan.state === state else { return }
        isLent = false
        guard !isSuspended, let result = loan.result else { return }
        var isTaken = false
        queue.take(keeping: 0) { transaction, counter, member, _ in
            if isTaken { return false }
            isTaken = true
            conclude(
                result, transaction, counter, member, author: loan.author, isNew: loan.isNew)
            return true
        }
    }
}
