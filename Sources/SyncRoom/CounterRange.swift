/// Which counters a member's transactions may come with, and which of them have to be looked up.
struct CounterRange {
    /// Of what a client held that is not of the room's history.
    enum Foreign {
        /// Another room.
        case room
        /// This room, but an epoch or a revision that it does not know (any more).
        case past
    }

    /// What comes with a counter above it is new: it was not sent before, as far as anybody knows.
    private(set) var last: UInt64
    /// Up to this counter the client may have sent transactions before it was here.
    let sentBefore: UInt64
    /// Whether these were made for what is not of this room's history.
    let foreign: Foreign?
    /// The least counter that was answered `unavailable` and did not come again: what comes behind it
    /// waits for it, or it would overtake it.
    private var refusedFrom: UInt64?

    /// - Parameters:
    ///   - counter: the greatest that the client says to have sent.
    ///   - former: of the membership that this one replaces. Since that began the client was here, so what it has
    ///     sent since is known.
    ///   - known: the greatest counter that is known of the client otherwise.
    init(sent counter: UInt64, after former: CounterRange?, known: UInt64, foreign: Foreign?) {
        self.foreign = foreign
        if let former, foreign == nil {
            sentBefore = former.sentBefore
        } else {
            sentBefore = max(counter, former?.sentBefore ?? 0)
        }
        last = max(sentBefore, known, former?.last ?? 0)
    }

    /// Whether a transaction was sent for what is not of this room's history.
    func isForeign(_ counter: UInt64) -> Bool {
        foreign != nil && counter > 0 && counter <= sentBefore
    }

    /// Takes note of a counter.
    ///
    /// - Returns: whether it is new.
    @inline(__always)
    mutating func take(_ counter: UInt64) -> Bool {
        guard counter > last else { return false }
        last = counter
        return true
    }

    /// Forgets what did not become durable.
    mutating func begin(after known: UInt64) {
        last = max(sentBefore, known)
    }

    /// Takes note that a transaction was answered `unavailable`.
    mutating func refuse(_ counter: UInt64) {
        refusedFrom = min(refusedFrom ?? counter, counter)
    }

    /// Whether an earlier transaction was answered `unavailable` and is still to come again.
    @inline(__always)
    mutating func isWaitingForEarlier(_ counter: UInt64) -> Bool {
        guard let first = refusedFrom else { return false }
        if counter > first { return true }
        if counter == first { refusedFrom = nil }
        return false
    }
}
