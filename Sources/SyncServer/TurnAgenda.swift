import SyncBytes
import SyncRoom

/// The work that a turn has left for its end, or for the next turn.
struct TurnAgenda {
    var touchedHosts: [RoomHost] = []
    var pieceWork = PieceQueue()
    var composingHosts: [RoomHost] = []
    /// Work for read requests, and about how many items or changes it encodes. Owners take turns.
    var reads = RoundRobin<JobOwner, (items: Int, work: () -> Void)>()
    /// Requests to which more may be sent.
    let feeds = TurnQueue<RequestFeed>()
    var dirtySessions: [Session] = []
    /// Connections that are being flushed; empty otherwise.
    var flushingSessions: [Session] = []
    /// Connections that a turn's budget did not suffice to write to.
    let unwrittenSessions = TurnQueue<Session>()
    /// Connections that are read on in the next turn.
    let waitingSessions = TurnQueue<Session>()
    /// What connections of gateways have not read: each reads on, by so many steps.
    let waitingInput = TurnQueue<(_ steps: Int) -> Void>()
    /// Steps of the handshakes of secured connections.
    let handshakes = TurnQueue<() -> Void>()
    /// The steps that each phase of the turn has taken.
    var phaseSteps = [Int](repeating: 0, count: TurnPhase.allCases.count)
    var isEndAsked = false
    /// Whether finished writes were handled, which the watchdog notes at the end of the turn.
    var hasDrained = false

    mutating func removeAll() {
        touchedHosts = []
        pieceWork = PieceQueue()
        composingHosts = []
        reads = RoundRobin()
        feeds.removeAll()
        dirtySessions = []
        flushingSessions = []
        unwrittenSessions.removeAll()
        waitingSessions.removeAll()
        waitingInput.removeAll()
        handshakes.removeAll()
    }
}

/// Work that waits for its turn, in two queues: small and large pieces. In each queue, owners take
/// turns.
///
/// A large piece may use a whole turn. So small ones come first, and many large pieces of one owner
/// do not delay the small ones of others.
final class TurnQueue<Element> {
    /// Identifies who shares a turn's budget: a user's or an address's account, or a connection.
    typealias Owner = ObjectIdentifier

    private var small = RoundRobin<Owner, Element>()
    private var large = RoundRobin<Owner, Element>()

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
        small = RoundRobin()
        large = RoundRobin()
    }

    /// Does the work that waits now, as far as the budget goes. Work that is added meanwhile is for
    /// the next turn. Small pieces leave half of the budget to large ones, and at least one large
    /// piece is done.
    ///
    /// - Parameters:
    ///   - kept: how much of the budget to leave.
    ///   - body: does a piece and spends its steps.
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

/// A queue that serves its owners in turn, and each owner's elements in order.
///
/// Cost: O(1) amortized to add or to take an element.
struct RoundRobin<Owner: Hashable, Element> {
    /// The waiting elements of each owner that has some, or whose turn is not over.
    private var lines: [Owner: Fifo<Element>] = [:]
    /// The owners that wait for a turn, the next one first.
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

    /// How many of an owner's elements wait.
    func count(of owner: Owner) -> Int { lines[owner]?.count ?? 0 }

    /// The owner that has the next turn.
    var nextOwner: Owner? { turns.first }

    /// Takes the next turn from its owner, who has no other turn before ``endTurn(of:)``.
    mutating func holdTurn() {
        _ = turns.popFirst()
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
