import SyncClient

/// Delivers events to all listeners, each of which reads at its own pace. It is used on the loop
/// only.
///
/// Invariants:
/// 1. Each listener gets all events since it was added, in order, up to the event of
///    ``finish(_:)``.
/// 2. A listener whose inbox is gone is removed. One whose inbox is full pauses reading.
struct Broadcast<Event: Sendable> {
    private struct Listener {
        weak var inbox: EventInbox<Event>?
        let pause: ReadingPause
    }

    private unowned let session: ClientSession
    private var listeners: [Listener] = []
    private var last: Event?
    /// Bytes of an event's contents.
    private let bytes: (Event) -> Int

    init(session: ClientSession, bytes: @escaping (Event) -> Int) {
        self.session = session
        self.bytes = bytes
    }

    /// Adds an inbox. It gets the events of `upToNow`, then all later ones; after the end, only the
    /// last event.
    mutating func add(
        _ inbox: EventInbox<Event>, pausing pause: ReadingPause, upToNow: () -> [Event]
    ) {
        if let last {
            _ = inbox.put(last)
            return inbox.finish()
        }
        let listener = Listener(inbox: inbox, pause: pause)
        listeners.append(listener)
        for event in upToNow() { put(event, bytes(event), for: listener) }
    }

    mutating func send(_ event: Event) {
        let bytes = listeners.isEmpty ? 0 : bytes(event)
        for listener in listeners { put(event, bytes, for: listener) }
        listeners.removeAll { $0.inbox == nil }
    }

    /// Delivers the last event and ends all inboxes.
    mutating func finish(_ event: Event) {
        last = event
        send(event)
        for listener in listeners { listener.inbox?.finish() }
        listeners = []
    }

    private func put(_ event: Event, _ bytes: Int, for listener: Listener) {
        if listener.inbox?.put(event, bytes: bytes) == true { session.pauseReading(listener.pause) }
    }
}
