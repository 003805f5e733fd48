/// Where a room's state is.
///
///     opening ──► here ◄──► away        from each of them: ──► deleting ──► gone
///                  ▲ │        │
///                  │ ▼        ▼
///                reopening ◄──┘
package enum RoomPlace: Equatable, Sendable {
    /// The store reads it. Nobody was in the room yet.
    case opening
    /// With the room, which does what it is asked for.
    case here
    /// With a worker. Transactions and tasks wait.
    case away(then: Return)
    /// Of no use, as the log has failed: the store is to read it anew. Transactions are refused, tasks wait.
    case reopening
    /// The store deletes it. Nobody is in the room any more; a worker may still have the state, which nobody asks for.
    case deleting
    /// Nobody needs the room any more, and its state is let go.
    case gone

    /// What comes when a worker has done with the state.
    package enum Return: Equatable, Sendable {
        case goOn
        /// The log has failed meanwhile.
        case reopen
    }

    /// Whether the room takes transactions.
    @inline(__always)
    package var goesOn: Bool {
        switch self {
        case .here, .away(.goOn): true
        case .opening, .away(.reopen), .reopening, .deleting, .gone: false
        }
    }
}
