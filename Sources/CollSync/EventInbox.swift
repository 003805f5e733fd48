import SyncBytes
import SyncClient
import SyncIO

/// A bounded way from the session's loop to a task that reads at its own pace.
///
/// The loop puts elements in; when there are many, it is asked to stop reading from the connection,
/// and when few are left, to go on. So a reader that is slow, or stops, costs no memory here, and
/// the server sees a slow reader. Where reading goes on all the same, since somebody awaits an
/// answer, the inbox ends at last: with ``ClientLimits/Name/waitingEvents``.
package final class EventInbox<Element: Sendable>: Sendable {
    private struct State {
        var elements = Fifo<(element: Element, bytes: Int)>()
        /// Bytes of the elements.
        var bytes = 0
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
    private let fullBytes: Int
    /// The last element of an inbox that ends since too much waits.
    private let last: @Sendable (CollectionError) -> Element?

    /// How many times what pauses reading may wait at most.
    private static var excess: Int { 16 }

    init(
        fullCount: Int, fullBytes: Int = 16 << 20,
        last: @escaping @Sendable (CollectionError) -> Element? = { _ in nil },
        resumeReading: @escaping @Sendable () -> Void
    ) {
        self.fullCount = fullCount
        self.fullBytes = fullBytes
        self.last = last
        self.resumeReading = resumeReading
    }

    deinit {
        if state.withLock({ $0.isPaused }) { resumeReading() }
    }

    // MARK: The loop's side

    /// Puts an element in.
    ///
    /// - Parameter bytes: of its contents.
    /// - Returns: whether reading must pause now, until the inbox has it resumed.
    func put(_ element: Element, bytes: Int = 0) -> Bool {
        let (waiters, mustPause) = state.withLock { state in
            guard !state.isFinished else { return (waiters: state.takeWaiters(), false) }
            guard !exceeds(state, bytes) else {
                end(&state)
                return (waiters: state.takeWaiters(), false)
            }
            state.elements.append((element, bytes))
            state.bytes += bytes
            let isFull = state.elements.count >= fullCount || state.bytes >= fullBytes
            let mustPause = isFull && !state.isPaused
            if mustPause { state.isPaused = true }
            return (waiters: state.takeWaiters(), mustPause)
        }
        for waiter in waiters { waiter.resume() }
        return mustPause
    }

    /// Whether too much would wait. One element may be as large as it is.
    private func exceeds(_ state: borrowing State, _ bytes: Int) -> Bool {
        let mostCount = fullCount.multipliedReportingOverflow(by: Self.excess)
        if !mostCount.overflow, state.elements.count >= mostCount.partialValue { return true }
        return state.bytes > 0 && state.bytes + bytes > fullBytes * Self.excess
    }

    private func end(_ state: inout State) {
        let error = CollectionError(.exceeded(.waitingEvents, state.elements.count))
        if let element = last(error) {
            state.elements.append((element, 0))
        } else {
            state.failure = state.failure ?? error
        }
        state.isFinished = true
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
        try await take { state in
            guard let first = state.elements.popFirst() else { return nil }
            state.bytes -= first.bytes
            return first.element
        }
    }

    /// All elements that are there, at least one; `nil` at the end, or if the task is cancelled.
    package func takeAll() async throws(CollectionError) -> [Element]? {
        try await take { state in
            guard !state.elements.isEmpty else { return nil }
            state.bytes = 0
            return state.elements.removeAll().map(\.element)
        }
    }

    private func take<Taken: Sendable>(
        _ body: @Sendable (inout State) -> Taken?
    ) async throws(CollectionError) -> Taken? {
        while !Task.isCancelled {
            let (taken, isFinished, failure, mustResume) = state.withLock { state in
                let taken = body(&state)
                let mustResume =
                    state.isPaused && state.elements.count <= fullCount / 4
                    && state.bytes <= fullBytes / 4
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
