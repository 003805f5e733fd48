/// What a room's state is given to a worker for: a transaction that takes more than a turn, and what is to be made for
/// those who look at the room, one thing at a time.
///
/// The two take turns. After it was lent for what is to be shown, the state is at home for as long as it was away. Much
/// longer would be dear: while many edit, what is lacking grows faster than it is made.
struct Lending {
    /// Whether whoever owns the room has a worker for what takes more than a turn.
    var hasWorkers = false
    /// Whether the next transaction takes more than a turn has for it.
    var isNextLarge = false
    /// Whether the last loan was for a transaction.
    var wasTransactionLent = false
    /// What is to be shown first, and for whom; asked for anew with each ``Room/compose(with:at:deliver:)``.
    private var wanted: (owner: JobOwner, make: () -> Loan)?
    /// Whether something to be shown is being made.
    private(set) var isShowing = false
    /// When the state was lent last for what is to be shown, and before which time it is not lent for it again, in
    /// milliseconds.
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

    /// What is to be shown, if it is time for it.
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

    /// The state was away for so long.
    mutating func pause(after now: UInt64, microseconds: UInt64) {
        earliest = now + (min(microseconds, 1 << 40) + 999) / 1000
    }

    mutating func didShow() {
        isShowing = false
    }
}
