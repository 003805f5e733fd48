/// A future event of a simulation.
package final class SimulatedEvent {
    let atMicroseconds: UInt64
    /// The order among events at the same time.
    let number: UInt64
    /// A pending timer does not count as work of the simulation.
    let isTimer: Bool
    private var action: (() -> Void)?

    init(
        atMicroseconds: UInt64, number: UInt64, isTimer: Bool, _ action: @escaping () -> Void
    ) {
        self.atMicroseconds = atMicroseconds
        self.number = number
        self.isTimer = isTimer
        self.action = action
    }

    /// Cancels the event, if it has not happened yet.
    package func cancel() {
        action = nil
    }

    var isCancelled: Bool { action == nil }

    func happen() {
        let action = action
        self.action = nil
        action?()
    }

    func comesBefore(_ other: SimulatedEvent) -> Bool {
        (atMicroseconds, number) < (other.atMicroseconds, other.number)
    }
}

/// The future events, earliest first: a binary heap.
struct EventQueue {
    private var heap: [SimulatedEvent] = []

    mutating func insert(_ event: SimulatedEvent) {
        heap.append(event)
        var child = heap.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard heap[child].comesBefore(heap[parent]) else { return }
            heap.swapAt(child, parent)
            child = parent
        }
    }

    var first: SimulatedEvent? { heap.first }

    /// Cancels all events, so that a retained timer retains nothing else.
    func cancelAll() {
        for event in heap { event.cancel() }
    }

    mutating func popFirst() -> SimulatedEvent? {
        guard let first = heap.first else { return nil }
        heap[0] = heap[heap.count - 1]
        heap.removeLast()
        var parent = 0
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2]
            where child < heap.count && heap[child].comesBefore(heap[least]) {
                least = child
            }
            if least == parent { return first }
            heap.swapAt(parent, least)
            parent = least
        }
    }
}
