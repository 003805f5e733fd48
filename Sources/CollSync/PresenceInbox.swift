import SyncClient
import SyncIO
import SyncModel

/// A way for what other members show from the session's loop to a task that reads at its own pace.
/// Of what it has not read yet only the latest of each member waits.
///
/// Invariants:
/// 1. Who reads knows of a member if it was told that it is here, and not since that it left. It is
///    not told of the leaving of one whom it does not know.
/// 2. So what waits is bounded by who is here and whom the reader knows, however slow it is.
final class PresenceInbox: Sendable {
    private struct State {
        /// The latest of each; `nil` says that it left.
        var waiting: [Identifier: SeenPresence?] = [:]
        /// Whom the reader knows.
        var known: Set<Identifier> = []
        var isSignalled = false

        mutating func put(_ client: Identifier, _ presence: SeenPresence?) {
            if presence != nil || known.contains(client) {
                waiting[client] = .some(presence)
            } else {
                waiting[client] = nil
            }
        }

        mutating func take() -> [PresenceChange] {
            isSignalled = false
            defer { waiting = [:] }
            return waiting.sorted { $0.key < $1.key }.map { client, presence in
                guard let presence else {
                    known.remove(client)
                    return .left(client)
                }
                known.insert(client)
                return .shows(MemberPresence(client, presence))
            }
        }
    }

    private let state = Monitor(State())
    /// Says that something waits: at most one at a time.
    private let signals = EventInbox<Void>(fullCount: .max) {}

    // MARK: The loop's side

    func put(_ client: Identifier, _ presence: SeenPresence?) {
        let mustSignal = state.withLock { state in
            state.put(client, presence)
            defer { state.isSignalled = true }
            return !state.isSignalled
        }
        if mustSignal { _ = signals.put(()) }
    }

    /// Says that nothing more comes.
    func finish() {
        signals.finish()
    }

    // MARK: The reader's side

    /// All that became different since the last time, at least one; `nil` at the end, or if the
    /// task is cancelled.
    func next() async -> [PresenceChange]? {
        while (try? await signals.next()) != nil {
            let changes = state.withLock { $0.take() }
            if !changes.isEmpty { return changes }
        }
        return nil
    }
}

/// Gives what other members show to all who listen. It is used on the loop only.
struct PresenceBroadcast {
    private struct Listener {
        weak var inbox: PresenceInbox?
    }

    private var listeners: [Listener] = []
    private var isFinished = false

    /// Lets an inbox have who is here, and all that becomes of them from now on.
    mutating func add(_ inbox: PresenceInbox, upToNow others: [Identifier: SeenPresence]) {
        if isFinished { return inbox.finish() }
        listeners.append(Listener(inbox: inbox))
        for (client, presence) in others { inbox.put(client, presence) }
    }

    mutating func tell(_ client: Identifier, _ presence: SeenPresence?) {
        for listener in listeners { listener.inbox?.put(client, presence) }
        listeners.removeAll { $0.inbox == nil }
    }

    mutating func finish() {
        isFinished = true
        for listener in listeners { listener.inbox?.finish() }
        listeners = []
    }
}
