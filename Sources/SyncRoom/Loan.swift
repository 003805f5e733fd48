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
