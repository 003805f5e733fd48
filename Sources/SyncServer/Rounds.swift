import SyncBytes

/// A queue that serves its owners in turn, and what each has in the order in which it came.
///
/// Cost: O(1) amortized for each element that comes or goes.
struct Rounds<Owner: Hashable, Element> {
    /// What each owner has that waits or whose turn is not over.
    private var lines: [Owner: Fifo<Element>] = [:]
    /// Whose turn is when.
    private var turns = Fifo<Owner>()
    /// How many elements wait.
    private(set) var count = 0
    var isEmpty: Bool { count == 0 }

    mutating func add(_ element: Element, of owner: Owner) {
        count += 1
        if lines[owner] == nil { turns.append(owner) }
        lines[owner, default: Fifo()].append(element)
    }

    /// Takes the next element. Its owner has no other turn before ``endTurn(of:)``.
    mutating func beginTurn() -> (owner: Owner, element: Element)? {
        guard let owner = turns.popFirst(), let element = lines[owner]?.popFirst() else {
            return nil
        }
        count -= 1
        return (owner, element)
    }

    mutating func endTurn(of owner: Owner) {
        if lines[owner]?.isEmpty == true {
            lines[owner] = nil
        } else {
            turns.append(owner)
        }
    }

    /// Takes the next element, and ends the turn.
    mutating func next() -> Element? {
        guard let (owner, element) = beginTurn() else { return nil }
        endTurn(of: owner)
        return element
    }
}
