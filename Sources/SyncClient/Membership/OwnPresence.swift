import SyncWire

/// What a member shows the others of itself, and whether the server was told.
struct OwnPresence {
    /// `nil` as long as nothing was shown.
    private var state: PresenceState?
    private var isTold = true
    /// Transactions up to this number are to be sent before: they may bring the items that are
    /// shown.
    private var lastCounter: UInt64 = 0

    /// Shows something in place of what was shown before.
    mutating func set(_ state: PresenceState, afterTransaction counter: UInt64) {
        self.state = state
        isTold = false
        lastCounter = counter
    }

    /// Has what is shown told again: on a new connection, or when items come that are shown
    /// already.
    mutating func repeatState() {
        isTold = state == nil
    }

    /// What the server is to be told now, if anything.
    ///
    /// - Parameter firstUnsent: the first transaction that is not on its way.
    mutating func take(firstUnsent: UInt64?) -> PresenceState? {
        guard !isTold, firstUnsent.map({ $0 > lastCounter }) ?? true else { return nil }
        isTold = true
        return state
    }
}
