import SyncModel

/// The members of a room. Their order depends only on who joined and left, and when.
///
/// A member's messages come in runs, so the member found last is found again without a search.
struct MemberTable {
    private(set) var list: [Member] = []
    private var byID: [ConnectionID: Member] = [:]
    private var byClient: [Identifier: Member] = [:]
    /// Members that have left while their transactions may be queued; the latest one of each
    /// client.
    private var leaving: [Identifier: Member] = [:]
    /// All of these, oldest first, each with the end of the queue at its departure.
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

    /// The client's latest member that has left while its transactions may be queued.
    func leaving(_ client: Identifier) -> Member? { leaving[client] }

    /// Whether a client is a member, or has left while its transactions may be queued. Such a
    /// client's author is not evicted.
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

    /// Keeps a member that has left until the queue is applied up to its present end.
    mutating func retain(_ member: Member, through end: UInt64) {
        leaving[member.client] = member
        departures.append((member, end))
    }

    /// Forgets members that have left and whose transactions are all taken from the queue.
    mutating func forgetLeaving(through taken: UInt64) {
        let count = departures.firstIndex { $0.end > taken } ?? departures.count
        if count == 0 { return }
        for (member, _) in departures[..<count] where leaving[member.client] === member {
            leaving[member.client] = nil
        }
        departures.removeFirst(count)
    }
}

/// Which counters a member has used, and so which of its transactions may be repeated ones.
struct CounterRange {
    /// Why the content that a client had is not of this room's history.
    enum Foreign {
        /// It is of another room.
        case room
        /// It is of this room, but of an epoch or a revision that the room does not have (any
        /// more).
        case past
        /// It was revision 0, so the client has seen nothing, and lacks nothing that it has seen.
        case nothing
    }

    /// A transaction with a greater counter is new: as far as client and room know, it was never
    /// sent.
    private(set) var last: UInt64
    /// The client may have sent transactions up to this counter before it joined.
    let sentBefore: UInt64
    /// Why those transactions are not of this room's history; `nil` if they are.
    let foreign: Foreign?
    /// The least counter that was answered `unavailable` and was not sent again. Greater counters
    /// are refused until it comes, as they must not overtake it.
    private var refusedFrom: UInt64?

    /// - Parameters:
    ///   - counter: the greatest counter that the client says it has sent.
    ///   - former: the counters of the membership that this one replaces. The room knows all that
    ///     the client has sent since that began.
    ///   - known: the greatest counter that the room knows of the client otherwise.
    init(sent counter: UInt64, after former: CounterRange?, known: UInt64, foreign: Foreign?) {
        self.foreign = foreign
        if let former, foreign == nil {
            sentBefore = former.sentBefore
        } else {
            sentBefore = max(counter, former?.sentBefore ?? 0)
        }
        last = max(sentBefore, known, former?.last ?? 0)
    }

    /// Whether the client was told that the room is not what it was.
    var isChanged: Bool { foreign == .room || foreign == .past }

    /// Whether transactions with base 0 were made in another room, for all that this one knows.
    var hasSeenNothing: Bool { foreign == .nothing }

    /// Whether a transaction was made for content that is not of this room's history. If the client
    /// had seen nothing, one with base 0 was not.
    func isForeign(_ counter: UInt64) -> Bool {
        foreign != nil && counter > 0 && counter <= sentBefore
    }

    /// Records a counter. Returns whether it is new.
    @inline(__always)
    mutating func take(_ counter: UInt64) -> Bool {
        guard counter > last else { return false }
        last = counter
        return true
    }

    /// Forgets counters whose transactions did not become durable.
    mutating func begin(after known: UInt64) {
        last = max(sentBefore, known)
    }

    /// Records that a transaction was answered `unavailable`.
    mutating func refuse(_ counter: UInt64) {
        refusedFrom = min(refusedFrom ?? counter, counter)
    }

    /// Whether an earlier transaction was answered `unavailable` and has not come again.
    @inline(__always)
    mutating func isWaitingForEarlier(_ counter: UInt64) -> Bool {
        guard let first = refusedFrom else { return false }
        if counter > first { return true }
        if counter == first { refusedFrom = nil }
        return false
    }
}
