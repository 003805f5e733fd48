/// Something that will happen in a simulation.
package final class SimulatedEvent {
    let atMicroseconds: UInt64
    /// Which came first, of events at one time.
    let number: UInt64
    /// A timer by itself does not keep a simulation busy.
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

    /// Takes the event back, if it is still to come.
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

/// What is to come, earliest first: a binary heap.
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

    /// Takes everything back. Who keeps a timer then keeps no more than that.
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
