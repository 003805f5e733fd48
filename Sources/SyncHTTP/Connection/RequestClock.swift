/// The times that a connection of HTTP has, by the clock that measures silence.
struct RequestClock {
    enum Verdict {
        case fine
        /// No request has come for long.
        case idle
        /// A request has begun, and does not come in time.
        case overdue
        /// Nothing of a response is taken.
        case stuck
    }

    /// Between two requests, and for the first byte of the first one.
    static let idleMilliseconds: UInt64 = 60_000
    /// For a request from its first byte. So many bytes that have arrived add a second, as for
    /// frames.
    static let requestMilliseconds: UInt64 = 15_000
    static let bytesPerSecond: UInt64 = 32 << 10
    /// For the system to accept something of a response.
    static let writeMilliseconds: UInt64 = 45_000

    private var lastReceived: UInt64
    /// When the request began that is being read.
    private var began: UInt64?
    private var receivedBytes: UInt64 = 0
    private var leastUnsent = Int.max
    private var lastTaken: UInt64 = 0

    init(at listened: UInt64) {
        lastReceived = listened
    }

    mutating func received(_ bytes: Int, at listened: UInt64) {
        lastReceived = listened
        if began == nil { (began, receivedBytes) = (listened, 0) }
        receivedBytes += UInt64(bytes)
    }

    /// For how long nothing has come.
    func silence(at listened: UInt64) -> UInt64 { listened - min(listened, lastReceived) }

    /// The request is whole.
    mutating func ended(at listened: UInt64) {
        began = nil
        lastReceived = listened
    }

    /// - Parameters:
    ///   - unsent: how much of a write the system has not accepted; `nil` if there is none.
    ///   - isReading: whether the connection waits for input.
    ///   - hasBegun: whether a request has begun and is not whole.
    mutating func verdict(
        at listened: UInt64, unsent: Int?, isReading: Bool, hasBegun: Bool
    ) -> Verdict {
        if let unsent {
            if unsent < leastUnsent { (leastUnsent, lastTaken) = (unsent, listened) }
            if listened - min(listened, lastTaken) >= RequestClock.writeMilliseconds {
                return .stuck
            }
        } else {
            leastUnsent = .max
        }
        guard isReading else {
            // The times for input begin when it is wanted.
            lastReceived = listened
            if began != nil { (began, receivedBytes) = (listened, 0) }
            return .fine
        }
        if hasBegun, let began {
            let earned = receivedBytes * 1000 / RequestClock.bytesPerSecond
            let isOverdue =
                listened - min(listened, began) >= RequestClock.requestMilliseconds + earned
            return isOverdue ? .overdue : .fine
        }
        let isIdle = listened - min(listened, lastReceived) >= RequestClock.idleMilliseconds
        return isIdle && unsent == nil ? .idle : .fine
    }
}
