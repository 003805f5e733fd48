package import SyncBytes
import SyncModel

/// Work on a room's state that takes more than a loop may spend in a turn, on its way to a worker
/// and back: a transaction, batches over much, a layout, an image.
///
/// It has three parts. ``work()`` needs the state, which nobody else touches meanwhile.
/// ``finish()`` needs only what that has made, and so holds nobody up. What is made is used on the
/// loop then.
///
/// Invariant: from ``Room/lend(at:)`` to ``Room/takeBack(_:at:taking:)`` nobody but ``work()``
/// touches the state. So it may go from thread to thread; the two mailboxes that it goes through
/// order what each has written.
package final class Loan: @unchecked Sendable {
    enum Kind {
        /// A transaction, whose room can't go on without it.
        case transaction
        /// Something for those who look at the room: they can wait, so that its transactions do
        /// not.
        case showing
        /// An image of a room that nobody uses.
        case image
    }

    let kind: Kind
    let state: RoomState
    private let job: () -> Void
    private let rest: (() -> Void)?
    private let conclusion: () -> Void

    /// - Parameters:
    ///   - work: what is done with the state.
    ///   - finish: what is then done without it, by the worker too.
    ///   - conclude: uses what was made; called on the loop.
    init<Result>(
        _ kind: Kind, of state: RoomState, _ work: @escaping (RoomState) -> Result,
        finish: ((Result) -> Void)? = nil, then conclude: @escaping (Result) -> Void
    ) {
        self.kind = kind
        self.state = state
        var made: Result?
        job = { made = work(state) }
        rest = finish.map { finish in { if let made { finish(made) } } }
        conclusion = {
            if let result = made.take() { conclude(result) }
        }
    }

    /// Does what needs the state. Called once, on any thread.
    package func work() {
        job()
    }

    /// Whether there is something to do that needs no state.
    package var hasRest: Bool { rest != nil }

    /// Does the rest. Called once, behind ``work()``.
    package func finish() {
        rest?()
    }

    func conclude() {
        conclusion()
    }
}

/// What a room's state is given to a worker for: a transaction that takes more than a turn, and
/// what is to be made for those who look at the room, one thing at a time.
///
/// The two take turns. After it was lent for what is to be shown, the state is at home for as long
/// as it was away. Much longer would be dear: while many edit, what is lacking grows faster than it
/// is made.
struct Lending {
    /// Whether whoever owns the room has a worker for what takes more than a turn.
    var hasWorkers = false
    /// Whether the next transaction takes more than a turn has for it.
    var isNextLarge = false
    var wasTransactionLent = false
    /// What is to be shown first, and for whom; asked for anew with each
    /// ``Room/compose(with:at:deliver:)``.
    private var wanted: (owner: JobOwner, make: () -> Loan)?
    /// Whether something to be shown is being made.
    private(set) var isShowing = false
    /// When the state was lent last for what is to be shown, and before which time it is not lent
    /// for it again, in milliseconds.
    private var lentAt: UInt64 = 0
    private var earliest: UInt64 = 0

    private static let memoryPauseMilliseconds: UInt64 = 100

    /// The state is another one: nothing is known of what is next.
    mutating func beginAgain() {
        isNextLarge = false
        wanted = nil
        isShowing = false
        earliest = 0
    }

    /// Asks for something to be shown, unless something else was asked for before.
    mutating func want(for owner: JobOwner, _ make: @escaping () -> Loan) {
        if wanted == nil, !isShowing { wanted = (owner, make) }
    }

    mutating func forgetWants() {
        wanted = nil
    }

    /// For whom something is to be shown now; `nil` if nothing is, or it is not time for it.
    func nextToShow(at now: UInt64) -> JobOwner? {
        isShowing || now < earliest ? nil : wanted?.owner
    }

    /// When something is to be shown; `nil` if nothing waits for its time.
    var showingDue: UInt64? {
        wanted == nil || isShowing ? nil : earliest
    }

    mutating func takeShowing(at now: UInt64) -> Loan? {
        guard nextToShow(at: now) != nil, let (_, make) = wanted.take() else { return nil }
        isShowing = true
        lentAt = now
        return make()
    }

    /// There was no memory for what was to be shown.
    mutating func postpone() {
        earliest = max(earliest, lentAt + Lending.memoryPauseMilliseconds)
    }

    mutating func pause(after now: UInt64, microseconds: UInt64) {
        earliest = now + (min(microseconds, 1 << 40) + 999) / 1000
    }

    mutating func didShow() {
        isShowing = false
    }
}

// What can't be cut into turns. While a worker has the state the room takes in what comes, and does
// nothing that needs its state; its members wait, those of other rooms do not.
extension Room {
    /// Whether whoever owns the room has a worker for what takes more than a turn.
    package var lends: Bool {
        get { lending.hasWorkers }
        set { lending.hasWorkers = newValue }
    }

    /// Whether the next transaction takes more than a turn has for it.
    package var isNextLarge: Bool { lending.isNextLarge }

    /// For whom a worker is to have the state, as soon as there is one; `nil` if none is needed, or
    /// it is not time for it.
    package func wantsToLend(at now: UInt64) -> JobOwner? {
        guard lends, place.isHere else { return nil }
        if isNextLarge { return queue.transactions.first.map { JobOwner($0.holder) } }
        return lending.nextToShow(at: now)
    }

    /// When to ask for a worker again; `nil` if nothing waits for its time.
    package var lendingDue: UInt64? {
        lending.showingDue
    }

    /// Gives the state away for what takes more than a turn has. Transactions and what is for those
    /// who look at the room take turns.
    ///
    /// - Parameter now: milliseconds on the clock of ``compose(with:at:deliver:)``.
    /// - Returns: what a worker is to do; ``takeBack(_:at:taking:)`` and ``conclude(_:)`` have to
    ///   follow.
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

    /// Uses what a worker has made. Called when all of the loan is done; what has no rest is
    /// concluded when the state is taken back.
    package func conclude(_ loan: Loan) {
        if loan.kind == .showing { lending.didShow() }
        guard place.goesOn(with: loan.state) else { return }
        loan.conclude()
    }
}

/// Who has a share of the workers' time, so that everybody's jobs take turns: a holder of the
/// server's pots, or the server itself for what nobody asked for.
package struct JobOwner: Hashable, Sendable {
    private let holder: ObjectIdentifier?

    package static let server = JobOwner(nil)

    package init(_ holder: Holder?) {
        self.holder = holder.map { ObjectIdentifier($0.top) }
    }
}
