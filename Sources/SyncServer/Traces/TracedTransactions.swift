import SyncModel
import SyncRoom

/// A room's transactions whose requests belong to a trace, from when they come to their answers. A
/// room without such transactions has none of these.
///
/// Invariant: at most ``mostWaiting`` transactions wait, and at most ``mostInLine`` are in a line
/// of the log. Beyond that, the traces that came first are dropped, and later commits are counted
/// without their traces.
final class TracedTransactions {
    private struct Waiting {
        var connection: ConnectionID
        var counter: UInt64
        var trace: TraceParent
    }

    static let mostWaiting = 32
    static let mostInLine = 16

    private var waiting: [Waiting] = []
    private var committed: [(revision: Revision, trace: TraceParent)] = []
    private var leftOut = 0

    var isEmpty: Bool { waiting.isEmpty && committed.isEmpty }

    func add(_ trace: TraceParent, _ counter: UInt64, of connection: ConnectionID) {
        if waiting.count == TracedTransactions.mostWaiting { waiting.removeFirst() }
        waiting.append(Waiting(connection: connection, counter: counter, trace: trace))
    }

    func forget(_ connection: ConnectionID) {
        waiting.removeAll { $0.connection == connection }
    }

    /// Notes answers to a connection.
    ///
    /// - Parameter outcome: the outcome of the transaction with a number; `nil` if it is not
    ///   answered now.
    func noteAnswers(to connection: ConnectionID, _ outcome: (UInt64) -> Outcome?) {
        waiting.removeAll { traced in
            guard traced.connection == connection, let outcome = outcome(traced.counter) else {
                return false
            }
            if case .committed(let commit) = outcome { add(commit.revision, traced.trace) }
            return true
        }
    }

    private func add(_ revision: Revision, _ trace: TraceParent) {
        if committed.count < TracedTransactions.mostInLine {
            committed.append((revision, trace))
        } else {
            leftOut += 1
        }
    }

    /// Logs the commits that were noted.
    func log(of room: RoomName, to log: any ServerLog) {
        guard !committed.isEmpty else { return }
        let revisions = committed.map { "\($0.revision)" }.joined(separator: " ")
        let traces = committed.map(\.trace.traceID).joined(separator: " ")
        log.log(
            .debug, "transactions with traces are committed",
            [
                "room": room.text, "revisions": revisions, "traces": traces,
                "without": "\(leftOut)",
            ])
        (committed, leftOut) = ([], 0)
    }

    /// The traces of those that wait, for a line that says what has become of them.
    var waitingTraces: String {
        waiting.prefix(TracedTransactions.mostInLine).map(\.trace.traceID).joined(separator: " ")
    }
}
