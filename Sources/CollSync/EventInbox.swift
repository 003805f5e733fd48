import SyncBytes
import SyncClient
import SyncIO

/// A bounded queue from the session's loop to a task that reads at its own pace.
///
/// The loop puts elements in. While many are queued, the loop pauses reading from the connection;
/// it resumes when few are left. So a reader that is slow, or stops, needs bounded memory, and the
/// server sees a slow reader. Reading goes on all the same while a caller awaits an answer. If far
/// too much is queued then, the inbox ends with ``ClientLimits/Name/waitingEvents``.
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
    /// Makes the loop resume reading. It may be called on any thread.
    private let resumeReading: @Sendable () -> Void

    /// The number of elements at which reading pauses, as it does at ``fullBytes``. It resumes at a
    /// quarter.
    private let fullCount: Int
    private let fullBytes: Int
    /// Makes the last element of an inbox that overflows; `nil` if the reader is to get the error
    /// instead.
    private let last: @Sendable (CollectionError) -> Element?

    /// The inbox overflows at this multiple of the amount that pauses reading.
    private static var overflowFactor: Int { 16 }

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
    /// - Returns: whether reading must pause now, until the inbox resumes it.
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

    /// Whether one more element overflows the inbox. A single one may have any size.
    private func exceeds(_ state: borrowing State, _ bytes: Int) -> Bool {
        let mostCount = fullCount.multipliedReportingOverflow(by: Self.overflowFactor)
        if !mostCount.overflow, state.elements.count >= mostCount.partialValue { return true }
        return state.bytes > 0 && state.bytes + bytes > fullBytes * Self.overflowFactor
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

    /// Ends the inbox. The reader gets the queued elements, then the failure, if there is one.
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

    /// Returns when an element may have come, or the task is cancelled.
    private func waitForMore() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isReady = state.withLock { state in
                    // `onCancel` takes the waiters under this lock. So a cancellation before this
                    // point is seen here, and a later one finds the waiter.
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
