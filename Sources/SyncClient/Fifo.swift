/// A queue: first in, first out, O(1) a step on average.
package struct Fifo<Element> {
    /// What has been taken is `nil`, up to ``head``.
    private var slots: [Element?] = []
    private var head = 0

    package init() {}

    package var count: Int { slots.count - head }
    package var isEmpty: Bool { count == 0 }
    package var first: Element? { isEmpty ? nil : slots[head] }

    package mutating func append(_ element: Element) {
        slots.append(element)
    }

    package mutating func popFirst() -> Element? {
        guard !isEmpty else { return nil }
        let element = slots[head].take()
        head += 1
        if head * 2 > slots.count {
            slots.removeFirst(head)
            head = 0
        }
        return element
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
