package import SyncBytes
import SyncModel

/// Work on a room's state that takes more than a loop may spend in a turn: a large transaction,
/// large batches, a layout, or an image. It goes to a worker and back.
///
/// It has three parts. ``work()`` needs the state. ``finish()`` needs only the result of that, so
/// the room has its state back by then. ``Room/conclude(_:)`` uses the result on the loop.
///
/// Invariant: from ``Room/lend(at:)`` to ``Room/takeBack(_:at:taking:)`` only ``work()`` touches
/// the state. So the loan may move between threads; the two mailboxes that it passes order their
/// memory accesses.
package final class Loan: @unchecked Sendable {
    package enum Kind: Int, CaseIterable, Sendable {
        /// A transaction. The room's later transactions wait for it.
        case transaction
        /// Batches or a layout, which members are to be sent. These wait, so that transactions do
        /// not.
        case output
        /// An image of a room that nobody is in.
        case image
    }

    package let kind: Kind
    let state: RoomState
    private let job: () -> Void
    private let rest: (() -> Void)?
    private let conclusion: () -> Void

    /// - Parameters:
    ///   - work: the work that needs the state.
    ///   - finish: the rest of the work, without the state; also done by the worker.
    ///   - conclude: uses the result; called on the loop.
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

    /// Does the work that needs the state. Called once, on any thread.
    package func work() {
        job()
    }

    /// Whether there is work that needs no state.
    package var hasRest: Bool { rest != nil }

    /// Does the rest. Called once, after ``work()``.
    package func finish() {
        rest?()
    }

    func conclude() {
        conclusion()
    }
}

/// When a room lends its state to a worker, and for what: for a transaction that takes more than a
/// turn, or for output, that is batches or a layout for members. There is one loan at a time.
///
/// The two kinds alternate. After a loan for output the room keeps its state for as long as it was
/// away. It does not keep it longer: while many members edit, the missing output grows faster than
/// it is made.
struct Lending {
    /// Whether the host has workers for what takes more than a turn.
    var hasWorkers = false
    /// Whether the next transaction takes more than a turn has for it.
    var isNextLarge = false
    var wasTransactionLent = false
    /// The first output that was asked for, and its owner. Each ``Room/compose(with:at:deliver:)``
    /// asks anew.
    private var requested: (owner: JobOwner, make: () -> Loan)?
    /// Whether output is being made.
    private(set) var isMakingOutput = false
    /// When the state was lent last for output, and the earliest time of the next such loan, in
    /// milliseconds.
    private var lentAt: UInt64 = 0
    private var earliest: UInt64 = 0

    private static let memoryPauseMilliseconds: UInt64 = 100

    /// The state was replaced: forgets all work for the old one.
    mutating func beginAgain() {
        isNextLarge = false
        requested = nil
        isMakingOutput = false
        earliest = 0
    }

    /// Asks for output, unless other output was asked for or is being made.
    mutating func request(for owner: JobOwner, _ make: @escaping () -> Loan) {
        if requested == nil, !isMakingOutput { requested = (owner, make) }
    }

    mutating func forgetRequest() {
        requested = nil
    }

    /// The owner of the output that is to be made now; `nil` if there is none, or it is too early.
    func nextOutputOwner(at now: UInt64) -> JobOwner? {
        isMakingOutput || now < earliest ? nil : requested?.owner
    }

    /// The earliest time for the output that was asked for; `nil` if there is none.
    var outputDue: UInt64? {
        requested == nil || isMakingOutput ? nil : earliest
    }

    mutating func takeOutput(at now: UInt64) -> Loan? {
        guard nextOutputOwner(at: now) != nil, let (_, make) = requested.take() else { return nil }
        isMakingOutput = true
        lentAt = now
        return make()
    }

    /// There was no memory for the output, so the next loan for output waits a while.
    mutating func postpone() {
        earliest = max(earliest, lentAt + Lending.memoryPauseMilliseconds)
    }

    mutating func pause(after now: UInt64, microseconds: UInt64) {
        earliest = now + (min(microseconds, 1 << 40) + 999) / 1000
    }

    mutating func didMakeOutput() {
        isMakingOutput = false
    }
}

// Work that can't be cut into turns. While a worker has the state, the room queues what comes and
// does nothing that needs the state. Its members wait; members of other rooms do not.
extension Room {
    /// Whether the host has workers for what takes more than a turn.
    package var lends: Bool {
        get { lending.hasWorkers }
        set { lending.hasWorkers = newValue }
    }

    /// Whether the next transaction takes more than a turn has for it.
    package var isNextLarge: Bool { lending.isNextLarge }

    /// The owner of the work for which the room needs a worker now; `nil` if it needs none, or it
    /// is too early.
    package func wantsToLend(at now: UInt64) -> JobOwner? {
        guard lends, place.isHere else { return nil }
        if isNextLarge { return queue.transactions.first.map { JobOwner($0.holder) } }
        return lending.nextOutputOwner(at: now)
    }

    /// When to ask for a worker again; `nil` if no work waits for its time.
    package var lendingDue: UInt64? {
        lending.outputDue
    }

    /// Lends the state for work that takes more than a turn. Transactions and output alternate.
    ///
    /// - Parameter now: milliseconds on the clock of ``compose(with:at:deliver:)``.
    /// - Returns: the work for a worker. ``takeBack(_:at:taking:)`` and ``conclude(_:)`` have to
    ///   follow.
    package func lend(at now: UInt64) -> Loan? {
        guard wantsToLend(at: now) != nil else { return nil }
        var loan: Loan?
        if isNextLarge, lending.wasTransactionLent { loan = lending.takeOutput(at: now) }
        if loan == nil, isNextLarge { loan = lendForTransaction() }
        if loan == nil { loan = lending.takeOutput(at: now) }
        lending.wasTransactionLent = loan?.kind == .transaction
        if let loan { place = .away(loan, then: .goOn) }
        return loan
    }

    /// Lends the state for its image.
    ///
    /// - Parameter use: called with the image.
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
        let limits = countedLimits
        queue.transactions.take(keeping: 0) { transaction, counter, member, _ in
            let known = author(of: member, in: state)
            // If there is no slot for the author, the room's next turn refuses the transaction.
            guard let author = known ?? enter(member, counter, in: state) else { return false }
            let packed = PackedTransaction(transaction)
            loan = Loan(.transaction, of: state) { state in
                packed.withView {
                    state.perform($0, counter: counter, author: author, within: limits)
                }
            } then: { [unowned self] result in
                if let result { didPerform(result, author: author, isNew: known == nil) }
            }
            // It stays first in the queue until the loan is concluded.
            return false
        }
        return loan
    }

    /// Records the outcome of the first queued transaction, and removes it from the queue.
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

    /// Takes the state back from a worker.
    ///
    /// - Parameters:
    ///   - now: milliseconds on the clock of ``compose(with:at:deliver:)``.
    ///   - microseconds: how long the state was away.
    package func takeBack(_ loan: Loan, at now: UInt64, taking microseconds: UInt64) {
        guard case .away(let lent, let next) = place, lent === loan else { return }
        place = next == .goOn ? .here(loan.state) : .reopening(loan.state)
        if loan.kind == .output { lending.pause(after: now, microseconds: microseconds) }
        if !loan.hasRest { conclude(loan) }
    }

    /// Uses the result of a loan. Called when the loan's rest is done. A loan without a rest is
    /// concluded when the state is taken back.
    package func conclude(_ loan: Loan) {
        if loan.kind == .output { lending.didMakeOutput() }
        guard place.isServing(loan.state) else { return }
        loan.conclude()
    }
}

/// The owner of jobs. Owners take turns at the workers. An owner is a holder of the server's pots,
/// or the server itself for jobs that no client has caused.
package struct JobOwner: Hashable, Sendable {
    private let holder: ObjectIdentifier?

    package static let server = JobOwner(nil)

    package init(_ holder: Holder?) {
        self.holder = holder.map { ObjectIdentifier($0.top) }
    }
}
