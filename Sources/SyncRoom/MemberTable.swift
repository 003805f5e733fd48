import SyncEngine

/// The members of a room, in an order that depends on nothing but what happened.
///
/// What comes of a member comes in runs, so the one asked for last is found without a search.
struct MemberTable {
    private(set) var list: [Member] = []
    private var byID: [MemberID: Member] = [:]
    private var byClient: [Identifier: Member] = [:]
    /// The last of a client's members that have left, while something of theirs may be queued.
    private var leaving: [Identifier: Member] = [:]
    /// The same, and up to where; the first one first.
    private var departures: [(member: Member, end: UInt64)] = []
    private var latest: Member?
    private var membershipCount: UInt32 = 0

    subscript(id: MemberID) -> Member? {
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

    /// All of these.
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

    /// Takes note that what a member that has left may have queued comes before the end of the queue.
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
