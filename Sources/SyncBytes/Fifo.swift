/// A queue: first in, first out. It drops its reference to an element as soon as that is taken,
/// whatever still waits.
///
/// # Performance
/// O(1) a step on average. A long queue frees its memory when it is empty.
@usableFromInline
package struct Fifo<Element> {
    /// Elements before ``head`` were taken: these slots are `nil`.
    @usableFromInline var slots: [Element?] = []
    @usableFromInline var head = 0

    /// An empty queue keeps memory for at most this many elements.
    @usableFromInline static var retainedCapacity: Int { 1024 }

    @inlinable
    package init() {}

    @inlinable
    package var count: Int { slots.count - head }
    @inlinable
    package var isEmpty: Bool { count == 0 }
    @inlinable
    package var first: Element? { isEmpty ? nil : slots[head] }

    @inlinable
    package mutating func append(_ element: Element) {
        slots.append(element)
    }

    @inlinable
    package mutating func popFirst() -> Element? {
        guard !isEmpty else { return nil }
        let element = slots[head].take()
        head += 1
        if isEmpty {
            slots.removeAll(keepingCapacity: slots.count <= Fifo.retainedCapacity)
            head = 0
        } else if head * 2 > slots.count {
            slots.removeFirst(head)
            head = 0
        }
        return element
    }

    /// Calls `body` with each element, in order.
    package func forEach(_ body: (Element) -> Void) {
        for case let element? in slots[head...] { body(element) }
    }

    /// Takes out the first element that the condition holds for.
    package mutating func removeFirst(where condition: (Element) -> Bool) -> Element? {
        guard let first else { return nil }
        if condition(first) { return popFirst() }
        let index = slots[head...].firstIndex { $0.map(condition) ?? false }
        return index.flatMap { slots.remove(at: $0) }
    }

    /// Takes out everything.
    package mutating func removeAll() -> [Element] {
        defer { self = Fifo() }
        return slots[head...].compactMap { $0 }
    }
}

extension Fifo: Sendable where Element: Sendable {}
