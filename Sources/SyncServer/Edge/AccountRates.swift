import SyncIO
import SyncRoom

/// How much of its rates an account has used.
///
/// What is charged to those with whom a user shares rooms is charged to the user, too.
final class AccountRates: Sendable {
    private struct State {
        var limits: AccountLimits
        var newRooms = TokenBucket()
        var newShares = TokenBucket()
        var bytes = TokenBucket()
        var messages = TokenBucket()
        var transactions = TokenBucket()
    }

    private let state: Monitor<State>
    private let whole: AccountRates?

    /// - Parameter whole: the user's, if these are of those with whom the user shares.
    init(_ limits: AccountLimits, within whole: AccountRates? = nil) {
        state = Monitor(State(limits: limits))
        self.whole = whole
    }

    func change(to limits: AccountLimits) {
        state.withLock { $0.limits = limits }
    }

    /// Counts a room that is created.
    ///
    /// - Returns: how many milliseconds too early it is; 0 if it is not.
    func takeNewRoom(at now: UInt64) -> UInt64 {
        let wait = state.withLock { state in
            let rate = state.limits.newRooms
            return state.newRooms.take(rate, at: now) ? 0 : state.newRooms.wait(rate, at: now)
        }
        return wait > 0 ? wait : whole?.takeNewRoom(at: now) ?? 0
    }

    /// Counts a token with which a room is shared. Only users share, so there is no whole.
    ///
    /// - Returns: how many milliseconds too early it is; 0 if it is not.
    func takeNewShare(at now: UInt64) -> UInt64 {
        state.withLock { state in
            let rate = state.limits.newShares
            return state.newShares.take(rate, at: now) ? 0 : state.newShares.wait(rate, at: now)
        }
    }

    /// Counts input. Returns for how many milliseconds nothing more may be read.
    ///
    /// - Parameter transactions: how many of the messages are transactions.
    func charge(bytes: Int, messages: Int, transactions: Int, at now: UInt64) -> UInt64 {
        let own = state.withLock { state in
            let limits = state.limits
            return max(
                state.bytes.charge(bytes, limits.bytes, at: now),
                state.messages.charge(messages, limits.messages, at: now),
                state.transactions.charge(transactions, limits.transactions, at: now))
        }
        guard let whole else { return own }
        let ofWhole = whole.charge(
            bytes: bytes, messages: messages, transactions: transactions, at: now)
        return max(own, ofWhole)
    }

    /// Whether they are as good as new.
    func areUnused(at now: UInt64) -> Bool {
        state.withLock { state in
            let limits = state.limits
            return state.newRooms.isFull(limits.newRooms, at: now)
                && state.newShares.isFull(limits.newShares, at: now)
                && state.bytes.isFull(limits.bytes, at: now)
                && state.messages.isFull(limits.messages, at: now)
                && state.transactions.isFull(limits.transactions, at: now)
        }
    }
}
