/// Work on a room's state that takes more than a loop may spend in a turn, on its way to a worker and back: a
/// transaction, batches over much, a layout, an image.
///
/// It has three parts. ``work()`` needs the state, which nobody else touches meanwhile. ``finish()`` needs only
/// what that has made, and so holds nobody up. What is made is used on the loop then.
///
/// Invariant: from ``Room/lend(at:)`` to ``Room/takeBack(_:at:taking:)`` nobody but ``work()`` touches the state. So
/// it may go from thread to thread; the two mailboxes that it goes through order what each has written.
package final class Loan: @unchecked Sendable {
    enum Kind {
        /// A transaction, whose room can't go on without it.
        case transaction
        /// Something for those who look at the room: they can wait, so that its transactions do not.
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

    /// Uses what was made.
    func conclude() {
        conclusion()
    }
}

/// What is to be made for those who look at a room and takes more than a turn has: one thing at a time, and the
/// state is lent for that a tenth of the time at most.
struct Errands {
    /// What is wanted first; asked for anew with each ``Room/compose(with:at:deliver:)``.
    private(set) var wanted: (owner: JobOwner, make: () -> Loan)?
    /// Whether something is being made.
    var isUnderWay = false
    /// Before this time the state is not lent again, in milliseconds.
    private(set) var earliest: UInt64 = 0

    /// When the state was lent last.
    private var lentAt: UInt64 = 0

    /// After a loan the state stays at home for so many times as long. Much longer would be dear: while many edit, what
    /// is lacking grows faster than it is made.
    private static let pausesPerLoan: UInt64 = 1

    /// Asks for something, unless something else was asked for before.
    mutating func want(for owner: JobOwner, _ make: @escaping () -> Loan) {
        if wanted == nil, !isUnderWay { wanted = (owner, make) }
    }

    mutating func forgetWants() {
        wanted = nil
    }

    /// What is to be made now, if it is time for it.
    mutating func take(at now: UInt64) -> Loan? {
        guard !isUnderWay, now >= earliest, let (_, make) = wanted.take() else { return nil }
        isUnderWay = true
        lentAt = now
        return make()
    }

    /// There was no memory for what was to be made.
    mutating func postpone() {
        earliest = max(earliest, lentAt + Errands.memoryPauseMilliseconds)
    }

    private static let memoryPauseMilliseconds: UInt64 = 100

    /// Takes note of how long the state was away.
    mutating func pause(after now: UInt64, microseconds: UInt64) {
        earliest = now + (min(microseconds, 1 << 40) * Errands.pausesPerLoan + 999) / 1000
    }
}
