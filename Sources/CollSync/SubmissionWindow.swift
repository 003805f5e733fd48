import SyncIO

/// Numbers a client's transactions in a room and limits how many of them are in flight. A caller
/// that sends without waiting for answers waits here while there are too many.
///
/// A transaction is numbered and queued under one lock, so transactions leave in the order of their
/// numbers.
final class SubmissionWindow: Sendable {
    private struct State {
        /// The numbers of unanswered transactions.
        var inFlight: Set<UInt64> = []
        var lastNumber: UInt64 = 0
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let limit: Int
    private let state = Monitor(State())

    init(limit: Int) {
        self.limit = max(limit, 1)
    }

    /// Continues the numbers after one that was used before.
    func begin(after number: UInt64) {
        state.withLock { $0.lastNumber = max($0.lastNumber, number) }
    }

    /// Waits for a free place, then numbers and queues a transaction.
    ///
    /// - Parameters:
    ///   - number: the transaction's number; without one the next after the highest.
    ///   - enqueue: queues it; called once with its number. It must not block.
    /// - Returns: the number and what `enqueue` gave; `nil` if a transaction of that number is in
    ///   flight, since one answer would come for both.
    func enter<Result: Sendable>(
        number: UInt64?, _ enqueue: @Sendable (UInt64) -> Result
    ) async -> (number: UInt64, result: Result)? {
        while true {
            let (entered, isTaken): ((UInt64, Result)?, Bool) = state.withLock { state in
                if let number, state.inFlight.contains(number) { return (nil, true) }
                guard state.inFlight.count < limit else { return (nil, false) }
                let number = number ?? state.lastNumber &+ 1
                state.inFlight.insert(number)
                state.lastNumber = max(state.lastNumber, number)
                return ((number, enqueue(number)), false)
            }
            if isTaken { return nil }
            if let entered { return entered }
            await withCheckedContinuation { continuation in
                let isOpen = state.withLock { state in
                    guard state.inFlight.count >= limit else { return true }
                    state.waiters.append(continuation)
                    return false
                }
                if isOpen { continuation.resume() }
            }
        }
    }

    /// Removes an answered transaction and wakes the waiting callers.
    func leave(_ number: UInt64) {
        let waiters = state.withLock { state in
            state.inFlight.remove(number)
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }
}
