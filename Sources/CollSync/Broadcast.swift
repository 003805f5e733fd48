import SyncClient

/// Gives what happens to all who listen, each at its own pace. It is used on the loop only.
///
/// Invariants:
/// 1. Each listener has all events from when it came in on, in order, and the last one is the end.
/// 2. A listener that was let go of is forgotten; one that is full pauses reading.
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

    /// Lets an inbox have all events from now on, after some that bring its reader up to now.
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

    mutating func tell(_ event: Event) {
        let bytes = listeners.isEmpty ? 0 : bytes(event)
        for listener in listeners { put(event, bytes, for: listener) }
        listeners.removeAll { $0.inbox == nil }
    }

    /// Tells the last event.
    mutating func finish(_ event: Event) {
        last = event
        tell(event)
        for listener in listeners { listener.inbox?.finish() }
        listeners = []
    }

    private func put(_ event: Event, _ bytes: Int, for listener: Listener) {
        if listener.inbox?.put(event, bytes: bytes) == true { session.pauseReading(listener.pause) }
    }
}
