package import SyncBytes
import SyncEngine

// What can't be cut into turns. While a worker has the state the room takes in what comes, and does nothing
// that needs its state; its members wait, those of other rooms do not.
extension Room {
    /// Whether whoever owns the room has a worker for what takes more than a turn.
    package var lends: Bool {
        get { lending.hasWorkers }
        set { lending.hasWorkers = newValue }
    }

    /// Whether the next transaction takes more than a turn has for it.
    package var isNextLarge: Bool { lending.isNextLarge }

    /// For whom a worker is to have the state, as soon as there is one; `nil` if none is needed, or it is not
    /// time for it.
    package func wantsToLend(at now: UInt64) -> JobOwner? {
        guard lends, place.isHere else { return nil }
        if isNextLarge { return queue.transactions.first.map { JobOwner($0.holder) } }
        return lending.nextToShow(at: now)
    }

    /// When to ask for a worker again; `nil` if nothing waits for its time.
    package var lendingDue: UInt64? {
        lending.showingDue
    }

    /// Gives the state away for what takes more than a turn has. Transactions and what is for those who look
    /// at the room take turns.
    ///
    /// - Parameter now: milliseconds on the clock of ``compose(with:at:deliver:)``.
    /// - Returns: what a worker is to do; ``takeBack(_:at:taking:)`` and ``conclude(_:)`` have to follow.
    package func lend(at now: UInt64) -> Loan? {
        guard wantsToLend(at: now) != nil else { return nil }
        var loan: Loan?
        if isNextLarge, lending.wasTransactionLent { loan = lending.takeShowing(at: now) }
        if loan == nil, isNextLarge { loan = lendForTransaction() }
        if loan == nil { loan = lending.takeShowing(at: now) }
        lending.wasTransactionLent = loan?.kind == .transaction
        if let loan { place = .away(loan, then: .goOn) }
        return loan
    }

    /// Gives the state away for its image.
    ///
    /// - Parameter use: takes the image.
    package func lendForImage(_ use: @escaping (SharedBytes) -> Void) -> Loan {
        let loan = Loan(.image, of: state, { $0.encodeImage() }, then: use)
        place = .away(loan, then: .goOn)
        return loan
    }

    private func lendForTransaction() -> Loan? {
        let state = state
        lending.isNextLarge = false
        if !log.draft.isBegun { beginDraft(in: state) }
        var loan: Loan?
        let limits = submitLimits
        queue.transactions.take(keeping: 0) { transaction, counter, member, _ in
            let known = author(of: member, in: state)
            // Who can't be an author is refused in the room's next turn.
            guard let author = known ?? enter(member, counter, in: state) else { return false }
            let packed = PackedTransaction(transaction)
            loan = Loan(.transaction, of: state) { state in
                packed.withView {
                    state.perform($0, counter: counter, author: author, within: limits)
                }
            } then: { [unowned self] result in
                if let result { didPerform(result, author: author, isNew: known == nil) }
            }
            // It stays in front until it is back.
            return false
        }
        return loan
    }

    /// Enters what became of the first transaction of the queue.
    private func didPerform(_ result: Authors.Result, author: Authors.Author, isNew: Bool) {
        let state = state
        var isTaken = false
        queue.transactions.take(keeping: 0) { transaction, counter, member, _ in
            if isTaken { return false }
            isTaken = true
            conclude(
                result, transaction, counter, member, author: author, isNew: isNew, in: state)
            return true
        }
    }

    /// Goes on with the state, which a worker has had.
    ///
    /// - Parameters:
    ///   - now: milliseconds on the clock of ``compose(with:at:deliver:)``.
    ///   - microseconds: for how long the room was without its state.
    package func takeBack(_ loan: Loan, at now: UInt64, taking microseconds: UInt64) {
        guard case .away(let lent, let next) = place, lent === loan else { return }
        place = next == .goOn ? .here(loan.state) : .reopening(loan.state)
        if loan.kind == .showing { lending.pause(after: now, microseconds: microseconds) }
        if !loan.hasRest { conclude(loan) }
    }

    /// Uses what a worker has made. Called when all of the loan is done; what has no rest is concluded when the
    /// state is taken back.
    package func conclude(_ loan: Loan) {
        if loan.kind == .showing { lending.didShow() }
        guard place.goesOn(with: loan.state) else { return }
        loan.conclude()
    }

}
