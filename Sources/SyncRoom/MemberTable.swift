import SyncModel

/// The members of a room, in an order that depends on nothing but what happened.
///
/// What comes of a member comes in runs, so the one asked for last is found without a search.
struct MemberTable {
    private(set) var list: [Member] = []
    private var byID: [ConnectionID: Member] = [:]
    private var byClient: [Identifier: Member] = [:]
    /// The last of a client's members that have left, while something of theirs may be queued.
    private var leaving: [Identifier: Member] = [:]
    /// The same, and up to where; the first one first.
    private var departures: [(member: Member, end: UInt64)] = []
    private var latest: Member?
    private var membershipCount: UInt32 = 0

    subscript(id: ConnectionID) -> Member? {
        mutating get {
            if let latest, latest.id == id { return latest }
            guard let member = byID[id] else { return nil }
            latest = member
            return member
        }
    }

    func member(of client: Identifier) -> Member? { byClient[client] }

    /// One that has left, and of which something may be queued.
    func leaving(_ client: Identifier) -> Member? { leaving[client] }

    /// Who is to stay an author: a member or one that has left and is still to be heard.
    func isPresent(_ client: Identifier) -> Bool {
        byClient[client] != nil || leaving[client] != nil
    }

    var present: [Member] { list + leaving.values }

    mutating func add(_ member: Member) {
        membershipCount &+= 1
        member.number = membershipCount
        member.index = list.count
        list.append(member)
        byID[member.id] = member
        byClient[member.client] = member
    }

    mutating func remove(_ member: Member) {
        byID[member.id] = nil
        byClient[member.client] = nil
        latest = nil
        let last = list.removeLast()
        if last !== member {
            list[member.index] = last
            last.index = member.index
        }
    }

    /// Takes note that what a member that has left may have queued comes before the end of the
    /// queue.
    mutating func keep(_ member: Member, through end: UInt64) {
        leaving[member.client] = member
        departures.append((member, end))
    }

    /// Forgets those that have left and have nothing queued any more.
    mutating func forgetLeaving(through taken: UInt64) {
        let count = departures.firstIndex { $0.end > taken } ?? departures.count
        if count == 0 { return }
        for (member, _) in departures[..<count] where leaving[member.client] === member {
            leaving[member.client] = nil
        }
        departures.removeFirst(count)
    }
}

/// Which counters a member's transactions may come with, and which of them have to be looked up.
struct CounterRange {
    /// Of what a client held that is not of the room's history.
    enum Foreign {
        /// Another room.
        case room
        /// This room, but an epoch or a revision that it does not know (any more).
        case past
    }

    /// What comes with a counter above it is new: it was not sent before, as far as anybody knows.
    private(set) var last: UInt64
    /// Up to this counter the client may have sent transactions before it was here.
    let sentBefore: UInt64
    /// Whether these were made for what is not of this room's history.
    let foreign: Foreign?
    /// The least counter that was answered `unavailable` and did not come again: what comes behind
    /// it waits for it, or it would overtake it.
    private var refusedFrom: UInt64?

    /// - Parameters:
    ///   - counter: the greatest that the client says to have sent.
    ///   - former: of the membership that this one replaces. Since that began the client was here,
    ///     so what it has sent since is known.
    ///   - known: the greatest counter that is known of the client otherwise.
    init(sent counter: UInt64, after former: CounterRange?, known: UInt64, foreign: Foreign?) {
        self.foreign = foreign
        if let former, foreign == nil {
            sentBefore = former.sentBefore
        } else {
            sentBefore = max(counter, former?.sentBefore ?? 0)
        }
        last = max(sentBefore, known, former?.last ?? 0)
    }

    /// Whether a transaction was sent for what is not of this room's history.
    func isForeign(_ counter: UInt64) -> Bool {
        foreign != nil && counter > 0 && counter <= sentBefore
    }

    /// Takes note of a counter. Returns whether it is new.
    @inline(__always)
    mutating func take(_ counter: UInt64) -> Bool {
        guard counter > last else { return false }
        last = counter
        return true
    }

    /// Forgets what did not become durable.
    mutating func begin(after known: UInt64) {
        last = max(sentBefore, known)
    }

    /// Takes note that a transaction was answered `unavailable`.
    mutating func refuse(_ counter: UInt64) {
        refusedFrom = min(refusedFrom ?? counter, counter)
    }

    /// Whether an earlier transaction was answered `unavailable` and is still to come again.
    @inline(__always)
    mutating func isWaitingForEarlier(_ counter: UInt64) -> Bool {
        guard let first = refusedFrom else { return false }
        if counter > first { return true }
        if counter == first { refusedFrom = nil }
        return false
    }
}
