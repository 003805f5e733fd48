import SyncBytes
import SyncRoom

struct TurnAgenda {
    var touchedHosts: [RoomHost] = []
    /// What is done piece by piece. Each does its next piece, and tells whether there was one.
    var pieceWork = Fifo<() -> Bool>()
    var composingHosts: [RoomHost] = []
    /// What is to be made for those who read, and how many items or changes there are to be written
    /// for it, about. Holders take turns.
    var reads = Rounds<JobOwner, (items: Int, work: () -> Void)>()
    /// Requests to which more can be sent.
    let feeds = TurnQueue<RequestFeed>()
    var dirtySessions: [Session] = []
    /// Those that are being flushed; empty but for that.
    var flushingSessions: [Session] = []
    /// Connections for which a turn did not suffice.
    let unwrittenSessions = TurnQueue<Session>()
    /// Connections that are read on in the next turn.
    let waitingSessions = TurnQueue<Session>()
    /// The steps that each phase of the turn has taken.
    var phaseSteps = [Int](repeating: 0, count: TurnPhase.allCases.count)
    var isEndAsked = false
    /// Whether something was done about what was written, which the watchdog is told at the end of
    /// the turn.
    var hasDrained = false

    mutating func removeAll() {
        touchedHosts = []
        pieceWork = Fifo()
        composingHosts = []
        reads = Rounds()
        feeds.removeAll()
        dirtySessions = []
        flushingSessions = []
        unwrittenSessions.removeAll()
        waitingSessions.removeAll()
    }
}

/// What waits for its turn: work that is small, and other. In both queues it goes round by owner.
///
/// A large piece may take all that a turn has. So small ones come before it, and whoever has many
/// large ones keeps nobody waiting who has small ones.
final class TurnQueue<Element> {
    /// Those who share what they may do: an address's account, or a connection.
    typealias Owner = ObjectIdentifier

    private var small = Rounds<Owner, Element>()
    private var large = Rounds<Owner, Element>()

    var count: Int { small.count + large.count }
    var isEmpty: Bool { count == 0 }

    func add(_ element: Element, of owner: Owner, isSmall: Bool) {
        if isSmall {
            small.add(element, of: owner)
        } else {
            large.add(element, of: owner)
        }
    }

    func removeAll() {
        small = Rounds()
        large = Rounds()
    }

    /// Does the work that waits now, as long as something is left for it. What comes meanwhile is
    /// for the next turn. Small work leaves half for the other, of which one piece at least is
    /// done.
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

/// A queue that serves its owners in turn, and what each has in the order in which it came.
///
/// Cost: O(1) amortized for each element that comes or goes.
struct Rounds<Owner: Hashable, Element> {
    /// What each owner has that waits or whose turn is not over.
    private var lines: [Owner: Fifo<Element>] = [:]
    /// Whose turn is when.
    private var turns = Fifo<Owner>()
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
