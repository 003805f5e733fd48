import SyncIO

/// A value that is set once, later, for one waiting task.
final class Promise<Value: Sendable>: Sendable {
    private enum State {
        case empty
        case awaited(CheckedContinuation<Value, Never>)
        case fulfilled(Value)
    }

    private let state = Monitor(State.empty)

    /// Sets the value; only the first call counts.
    func fulfil(_ value: Value) {
        let waiter: CheckedContinuation<Value, Never>? = state.withLock { state in
            switch state {
            case .empty:
                state = .fulfilled(value)
                return nil
            case .awaited(let waiter):
                state = .fulfilled(value)
                return waiter
            case .fulfilled: return nil
            }
        }
        waiter?.resume(returning: value)
    }

    /// The value, as soon as it is there. One task may wait for it.
    var value: Value {
        get async {
            await withCheckedContinuation { continuation in
                let value: Value? = state.withLock { state in
                    if case .fulfilled(let value) = state { return value }
                    state = .awaited(continuation)
                    return nil
                }
                if let value { continuation.resume(returning: value) }
            }
        }
    }
}
