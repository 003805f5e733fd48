import SyncRoom

/// What waits for its turn: work that is small, and other. In both queues it goes round by owner.
///
/// A large piece may take all that a turn has. So small ones come before it, and whoever has many large ones
/// keeps nobody waiting who has small ones.
final class TurnQueue<Element> {
    /// Those who share what they may do: an address's account, or a connection.
    typealias Owner = ObjectIdentifier

    private var small = Rounds<Owner, Element>()
    private var large = Rounds<Owner, Element>()

    /// How many wait.
    var count: Int { small.count + large.count }
    var isEmpty: Bool { count == 0 }

    func add(_ element: Element, of owner: Owner, isSmall: Bool) {
        if isSmall {
            small.add(element, of: owner)
        } else {
            large.add(element, of: owner)
        }
    }

    /// Forgets all.
    func removeAll() {
        small = Rounds()
        large = Rounds()
    }

    /// Does the work that waits now, as long as something is left for it. What comes meanwhile is for the next
    /// turn. Small work leaves half for the other, of which one piece at least is done.
    ///
    /// - Parameters:
    ///   - kept: what is to be left.
    ///   - body: does a piece and spends what it takes.
    func serve(
        from budget: TurnBudget, keeping kept: Int,
        _ body: (_ element: Element, _ isSmall: Bool) -> Void
    ) {
        var rest = count
        func serve(_ isSmall: Bool, keeping kept: Int) {
            while rest > 0, budget.left > kept,
                let element = isSmall ? small.next() : large.next()
            {
                rest -= 1
                body(element, isSmall)
            }
        }
        let kept = max(0, kept)
        serve(true, keeping: kept + max(0, budget.left - kept) / 2)
        if rest > 0, budget.left > 0, let element = large.next() {
            rest -= 1
            body(element, false)
        }
        serve(false, keeping: kept)
        serve(true, keeping: kept)
    }
}
