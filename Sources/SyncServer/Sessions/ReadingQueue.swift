/// Connections that wait to be read on: those whose next frame is small, and the others. In both queues it goes
/// round by address.
///
/// Frames are read whole. Reading a large one may take all that a turn has, so that only one is read in a turn;
/// small ones come before it, and whoever sends many large ones keeps nobody waiting who sends small ones.
struct ReadingQueue<Element> {
    /// Those who share what they may do: an address's account, or none.
    typealias Owner = ObjectIdentifier?

    private var small = Rounds<Owner, Element>()
    private var large = Rounds<Owner, Element>()

    /// How many wait.
    var count: Int { small.count + large.count }
    var isEmpty: Bool { count == 0 }

    mutating func add(_ element: Element, of owner: Owner, isSmall: Bool) {
        if isSmall {
            small.add(element, of: owner)
        } else {
            large.add(element, of: owner)
        }
    }

    /// The next whose frame is small.
    mutating func nextSmall() -> Element? { small.next() }

    /// The next whose frame is not.
    mutating func nextLarge() -> Element? { large.next() }
}

/// A queue that serves its owners in turn, and what each has in the order in which it came.
///
/// Cost: O(1) amortized for each element that comes or goes.
struct Rounds<Owner: Hashable, Element> {
    /// What each owner has that has anything.
    private var lines: [Owner: Line<Element>] = [:]
    /// Whose turn is when.
    private var turns = Line<Owner>()
    private(set) var count = 0

    mutating func add(_ element: Element, of owner: Owner) {
        count += 1
        if lines[owner] == nil { turns.append(owner) }
        lines[owner, default: Line()].append(element)
    }

    mutating func next() -> Element? {
        guard let owner = turns.popFirst(), let element = lines[owner]?.popFirst() else {
            return nil
        }
        count -= 1
        if lines[owner]?.isEmpty == true {
            lines[owner] = nil
        } else {
            turns.append(owner)
        }
        return element
    }
}

/// Elements in the order in which they came.
private struct Line<Element> {
    private var elements: [Element?] = []
    private var taken = 0

    var isEmpty: Bool { taken == elements.count }

    mutating func append(_ element: Element) {
        elements.append(element)
    }

    mutating func popFirst() -> Element? {
        guard !isEmpty else { return nil }
        let element = elements[taken].take()
        taken += 1
        if taken > 32, taken > elements.count / 2 {
            elements.removeFirst(taken)
            taken = 0
        }
        return element
    }
}
