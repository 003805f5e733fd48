import SyncBytes
package import SyncEngine
package import SyncWire

/// A connection's number, for the rooms it is in.
package struct MemberID: Hashable, Sendable {
    package let value: UInt64

    package init(value: UInt64) {
        self.value = value
    }
}

/// One stay of a connection in a room. A connection may leave and come back: it is then another membership.
package struct MembershipID: Hashable, Sendable {
    package let connection: MemberID
    /// The number of the membership in the room.
    package let number: UInt32
}

/// Who becomes a member of a room.
package struct Admission: Sendable {
    package var member: MemberID
    /// The number of its connection; those made later have higher ones.
    package var connection: UInt64
    package var client: Identifier
    /// As whom it has signed in; empty if it has not.
    package var user: String
    package var secret: [UInt8]
    /// The revision that the client holds, if any.
    package var from: Revision?
    package var everyRevision: Bool
    /// The member wants no batches.
    package var viewOnly: Bool
    /// The member is told of others that want the same, and they of it.
    package var presence: Bool
    /// The member can read deflated frames.
    package var readsDeflated: Bool
    /// What its connection holds.
    package var holder: Holder
    /// Which room and epoch ``from``, or what the client held last, is of.
    package var origin: Origin?
    /// The greatest counter that the client has sent before.
    package var counter: UInt64

    package init(
        member: MemberID, connection: UInt64 = 0, client: Identifier, user: String = "",
        secret: [UInt8] = [], from: Revision? = nil, everyRevision: Bool = false,
        viewOnly: Bool = false, presence: Bool = false, readsDeflated: Bool = false,
        holder: Holder = Holder(in: Pots()),
        origin: Origin? = nil, counter: UInt64 = 0
    ) {
        self.member = member
        self.connection = connection
        self.client = client
        self.user = user
        self.secret = secret
        self.from = from
        self.everyRevision = everyRevision
        self.viewOnly = viewOnly
        self.presence = presence
        self.readsDeflated = readsDeflated
        self.holder = holder
        self.origin = origin
        self.counter = counter
    }
}

/// One who is in a room.
package final class Member {
    package let id: MemberID
    let connection: UInt64
    let client: Identifier
    let user: String
    let secret: SecretHash
    let everyRevision: Bool
    let viewOnly: Bool
    package let readsDeflated: Bool
    /// Its place among the members.
    var index = 0
    // What is not checked for exclusive access would cost for each transaction or update: no access spans
    // another.
    /// As which author it is known, once it has written.
    @exclusivity(unchecked) var author: Authors.Author?
    /// What it says, and the room knows, of its client's counters.
    @exclusivity(unchecked) var counters: CounterRange
    /// The revision that it was sent; `nil` if it needs a snapshot.
    @exclusivity(unchecked) var sent: Revision?
    /// The least revision of a first snapshot: it has held more than an older one, and its bases must not
    /// go down.
    let leastSnapshot: Revision
    /// The least revision that it may still make transactions from, as far as is known.
    @exclusivity(unchecked) var floor: Revision
    /// What it is being sent, where that takes several deliveries.
    var feed: Feed?
    /// The number of this membership, see ``MembershipID``.
    @exclusivity(unchecked) var number: UInt32 = 0
    /// What it sent may still be queued.
    @exclusivity(unchecked) var hasLeft = false
    /// How many of the room's transactions there are up to its last one.
    @exclusivity(unchecked) var lastQueued: UInt64 = 0
    /// Where the last of its answers that wait for the log is; 0 if none ever did.
    @exclusivity(unchecked) var lastPending: AnswerQueue.Ordinal = 0
    /// Whether it can take the next delivery.
    @exclusivity(unchecked) var isReady = true
    /// Whether it is looked at in the next turn, see ``MemberLine``.
    @exclusivity(unchecked) var isInLine = false
    /// What its connection holds: its views of this room, and its part of what the room holds.
    package let holder: Holder
    private let viewCharge: Charge
    let part: Charge
    /// Whether its connection holds its share of the server's memory: it may delete.
    @exclusivity(unchecked) var isOverShare = false
    /// The connections of the same holder in the room.
    var group: HolderInRoom?
    /// What it has of the room's places.
    private(set) lazy var places = RoomPlaces(in: group?.places ?? RoomPlaces())
    /// What it shows others.
    private(set) lazy var shownBytes = Charge(in: places.presenceBytes)
    /// What it was sent of views and has not taken in.
    @exclusivity(unchecked) private var unreadViewBytes = 0
    /// Its views, in the order in which it opened them.
    @exclusivity(unchecked) var views: [RoomView] = []
    /// A drag of it that is over though it has not ended it, and why; it is still to be told.
    @exclusivity(unchecked) var lostDrag: (number: DragNumber, refusal: DragRefusal)?
    /// How far it was told of others; `nil` if it does not want to know.
    var presence: PresenceTable.Standing?
    /// Its place among those that want to know, and whether it is looked at in the next turn, see ``Listeners``.
    var listenerIndex: Int?
    @exclusivity(unchecked) var isListenerInLine = false

    init(
        _ admission: Admission, secret: SecretHash, sent: Revision?, floor: Revision,
        leastSnapshot: Revision, author: Authors.Author?, counters: CounterRange,
        on tally: Tally? = nil
    ) {
        id = admission.member
        connection = admission.connection
        client = admission.client
        user = admission.user
        self.secret = secret
        everyRevision = admission.everyRevision
        viewOnly = admission.viewOnly
        readsDeflated = admission.readsDeflated
        self.sent = sent
        self.floor = floor
        self.leastSnapshot = leastSnapshot
        self.author = author
        self.counters = counters
        holder = admission.holder
        viewCharge = Charge(in: holder.views, as: .views, on: tally)
        part = Charge(in: holder.memory, isPart: true)
    }

    package var membership: MembershipID { MembershipID(connection: id, number: number) }

    /// What its views take, with what it was sent of them and has not taken in.
    var viewBytes: Int { viewCharge.count }

    /// Takes note of updates that it is sent.
    func count(unread frames: [EncodedFrame]) {
        unreadViewBytes += frames.reduce(0) { $0 + $1.plain.count }
        countViews()
    }

    /// Notes whether what it inserts may make the server hold more.
    package func noteShare() {
        isOverShare = !holder.memory.fits(1)
    }

    /// It can take more: it has taken what it was sent.
    func becomeReady() {
        isReady = true
        guard unreadViewBytes > 0 else { return }
        unreadViewBytes = 0
        countViews()
    }

    /// Counts its views anew.
    func countViews() {
        viewCharge.change(to: views.reduce(unreadViewBytes) { $0 + $1.byteCount })
    }
}

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
