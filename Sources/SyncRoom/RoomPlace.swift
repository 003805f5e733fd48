/// Where a room's state is.
///
///     opening ──► here ◄──► away        from each of them: ──► deleting ──► gone
///                  ▲ │        │
///                  │ ▼        ▼
///                reopening ◄──┘
package enum RoomPlace {
    /// The store reads it. Nobody was in the room yet.
    case opening
    /// With the room, which does what it is asked for.
    case here(RoomState)
    /// With a worker, by a loan. Transactions and tasks wait.
    case away(Loan, then: Return)
    /// Of no use, as the log has failed: the store is to read it anew. Transactions are refused, tasks wait.
    case reopening(RoomState)
    /// The store deletes it, and members leave. A worker may still have the state, which nobody asks for.
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
        case .here, .away(_, .goOn): true
        case .opening, .away(_, .reopen), .reopening, .deleting, .gone: false
        }
    }

    /// Whether the room goes on with this state.
    func goesOn(with state: RoomState) -> Bool {
        switch self {
        case .here(let own): own === state
        case .away(let loan, .goOn): loan.state === state
        case .opening, .away(_, .reopen), .reopening, .deleting, .gone: false
        }
    }

    /// The state, where the room has it.
    @inline(__always)
    var state: RoomState? {
        switch self {
        case .here(let state), .reopening(let state): state
        case .opening, .away, .deleting, .gone: nil
        }
    }

    @inline(__always)
    package var isHere: Bool { if case .here = self { true } else { false } }

    package var isOpening: Bool { if case .opening = self { true } else { false } }
    package var isReopening: Bool { if case .reopening = self { true } else { false } }
    package var isDeleting: Bool { if case .deleting = self { true } else { false } }
    package var isGone: Bool { if case .gone = self { true } else { false } }
}
