/// A queue: what was added first is taken first.
///
/// # Performance
/// Amortized O(1) for either.
struct Fifo<Element> {
    private var arrived: [Element] = []
    /// What is taken next, backwards.
    private var leaving: [Element] = []

    var isEmpty: Bool { arrived.isEmpty && leaving.isEmpty }

    /// What is taken next.
    var first: Element? { leaving.last ?? arrived.first }

    mutating func add(_ element: Element) {
        arrived.append(element)
    }

    mutating func take() -> Element? {
        if leaving.isEmpty {
            swap(&arrived, &leaving)
            leaving.reverse()
        }
        return leaving.popLast()
    }
}
