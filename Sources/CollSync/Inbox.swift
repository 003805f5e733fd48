import SyncClient
import SyncIO

/// A bounded way from the session's loop to a task that reads at its own pace.
///
/// The loop puts elements in; when there are many, it is asked to stop reading from the connection,
/// and when few are left, to go on. So a reader that is slow, or stops, costs no memory here, and
/// the server sees a slow reader.
package final class Inbox<Element: Sendable>: Sendable {
    private struct State {
        var elements = Fifo<Element>()
        var waiters: [CheckedContinuation<Void, Never>] = []
        var isFinished = false
        var failure: CollectionError?
        var isPaused = false

        mutating func takeWaiters() -> [CheckedContinuation<Void, Never>] {
            defer { waiters = [] }
            return waiters
        }
    }

    private let state = Monitor(State())
    /// Has the loop go on reading. It may be called on any thread.
    private let resumeReading: @Sendable () -> Void

    /// Where reading pauses; it goes on at a quarter.
    private let fullCount: Int

    init(fullCount: Int, resumeReading: @escaping @Sendable () -> Void) {
        self.fullCount = fullCount
        self.resumeReading = resumeReading
    }

    deinit {
        if state.withLock({ $0.isPaused }) { resumeReading() }
    }

    // MARK: The loop's side

    /// Puts an element in.
    ///
    /// - Returns: whether reading must pause now, until the inbox has it resumed.
    func put(_ element: Element) -> Bool {
        let (waiters, mustPause) = state.withLock { state in
            guard !state.isFinished else { return (waiters: state.takeWaiters(), false) }
            state.elements.append(element)
            let mustPause = state.elements.count >= fullCount && !state.isPaused
            if mustPause { state.isPaused = true }
            return (waiters: state.takeWaiters(), mustPause)
        }
        for waiter in waiters { waiter.resume() }
        return mustPause
    }

    /// Says that nothing more comes, with why, if that is a failure.
    func finish(_ failure: CollectionError? = nil) {
        let waiters = state.withLock { state in
            state.isFinished = true
            state.failure = state.failure ?? failure
            return state.takeWaiters()
        }
        for waiter in waiters { waiter.resume() }
    }

    // MARK: The reader's side

    /// The next element; `nil` at the end, or if the task is cancelled.
    func next() async throws(CollectionError) -> Element? {
        try await take { $0.popFirst() }
    }

    /// All elements that are there, at least one; `nil` at the end, or if the task is cancelled.
    package func takeAll() async throws(CollectionError) -> [Element]? {
        try await take { $0.isEmpty ? nil : $0.removeAll() }
    }

    private func take<Taken: Sendable>(
        _ body: @Sendable (inout Fifo<Element>) -> Taken?
    ) async throws(CollectionError) -> Taken? {
        while !Task.isCancelled {
            let (taken, isFinished, failure, mustResume) = state.withLock { state in
                let taken = body(&state.elements)
                let mustResume = state.isPaused && state.elements.count <= fullCount / 4
                if mustResume { state.isPaused = false }
                return (taken, state.isFinished, state.failure, mustResume)
            }
            if mustResume { resumeReading() }
            if let taken { return taken }
            if let failure { throw failure }
            if isFinished { return nil }
            await waitForMore()
        }
        return nil
    }

    /// Returns when something may have come, or the task is cancelled.
    private func waitForMore() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isReady = state.withLock { state in
                    // Cancelling looks at the waiters under the lock, so one that is cancelled
                    // before is seen here, and one that is cancelled later finds the waiter.
                    let isReady =
                        !state.elements.isEmpty || state.isFinished || Task.isCancelled
                    if !isReady { state.waiters.append(continuation) }
                    return isReady
                }
                if isReady { continuation.resume() }
            }
        } onCancel: {
            for waiter in state.withLock({ $0.takeWaiters() }) { waiter.resume() }
        }
    }
}
