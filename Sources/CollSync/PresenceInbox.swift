import SyncClient
import SyncIO
import SyncModel

/// A queue of presence changes from the session's loop to a task that reads at its own pace. Only
/// the latest unread change of each member is queued.
///
/// Invariants:
/// 1. The reader knows a member after it has read that the member is here, until it reads that the
///    member left. It never reads that an unknown member left.
/// 2. So the members that are here and those that the reader knows bound the queue, however slow
///    the reader is.
final class PresenceInbox: Sendable {
    private struct State {
        /// The latest unread state of each member; `nil` if it left.
        var waiting: [Identifier: SeenPresence?] = [:]
        /// The members that the reader knows.
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
    /// Wakes the reader. At most one signal is queued.
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

    /// Ends the queue.
    func finish() {
        signals.finish()
    }

    // MARK: The reader's side

    /// All changes since the last call, at least one; `nil` at the end, or if the task is
    /// cancelled.
    func next() async -> [PresenceChange]? {
        while (try? await signals.next()) != nil {
            let changes = state.withLock { $0.take() }
            if !changes.isEmpty { return changes }
        }
        return nil
    }
}

/// Delivers presence changes to all listeners. It is used on the loop only.
struct PresenceBroadcast {
    private struct Listener {
        weak var inbox: PresenceInbox?
    }

    private var listeners: [Listener] = []
    private var isFinished = false

    /// Adds an inbox. It gets the members that are here now, then all changes.
    mutating func add(_ inbox: PresenceInbox, upToNow others: [Identifier: SeenPresence]) {
        if isFinished { return inbox.finish() }
        listeners.append(Listener(inbox: inbox))
        for (client, presence) in others { inbox.put(client, presence) }
    }

    mutating func send(_ client: Identifier, _ presence: SeenPresence?) {
        for listener in listeners { listener.inbox?.put(client, presence) }
        listeners.removeAll { $0.inbox == nil }
    }

    mutating func finish() {
        isFinished = true
        for listener in listeners { listener.inbox?.finish() }
        listeners = []
    }
}
