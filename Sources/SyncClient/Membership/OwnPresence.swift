import SyncWire

/// What a member shows the others of itself, and whether that was sent.
struct OwnPresence {
    /// `nil` as long as nothing was shown.
    private var state: PresenceState?
    private var isSent = true
    /// Transactions up to this number are sent before: they may insert the items that are shown.
    private var lastCounter: UInt64 = 0

    /// Shows something in place of what was shown before.
    mutating func set(_ state: PresenceState, afterTransaction counter: UInt64) {
        self.state = state
        isSent = false
        lastCounter = counter
    }

    /// Makes the state pending again: on a new connection, or with resent transactions, which may
    /// insert items that are shown.
    mutating func repeatState() {
        isSent = state == nil
    }

    /// The state to send now, if any.
    ///
    /// - Parameter firstUnsent: the number of the first transaction that is not in flight.
    mutating func take(firstUnsent: UInt64?) -> PresenceState? {
        guard !isSent, firstUnsent.map({ $0 > lastCounter }) ?? true else { return nil }
        isSent = true
        return state
    }
}
