import SyncBytes
package import SyncModel
package import SyncWire

/// A connection's number, for the rooms it is in.
package struct ConnectionID: Hashable, Sendable {
    package let value: UInt64

    package init(value: UInt64) {
        self.value = value
    }
}

/// One stay of a connection in a room. A connection may leave and come back: it is then another
/// membership.
package struct MembershipID: Hashable, Sendable {
    package let connection: ConnectionID
    /// The number of the membership in the room.
    package let number: UInt32
}

/// Who becomes a member of a room.
package struct Admission: Sendable {
    package var member: ConnectionID
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
    /// The member wants to know who made what it is sent.
    package var authors: Bool
    /// How frames are written for it.
    package var encoding: FrameEncoding
    /// What its connection holds.
    package var holder: Holder
    /// Which room and epoch ``from``, or what the client held last, is of.
    package var origin: Origin?
    /// The greatest counter that the client has sent before.
    package var counter: UInt64
    /// Up to which counter all that it has sent is answered; `nil` if it wants no answers
    /// beforehand.
    package var answeredThrough: UInt64?

    package init(
        member: ConnectionID, connection: UInt64 = 0, client: Identifier, user: String = "",
        secret: [UInt8] = [], from: Revision? = nil, everyRevision: Bool = false,
        viewOnly: Bool = false, presence: Bool = false, authors: Bool = false,
        encoding: FrameEncoding = .plain,
        holder: Holder = Holder(in: Pots()),
        origin: Origin? = nil, counter: UInt64 = 0, answeredThrough: UInt64? = nil
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
        self.authors = authors
        self.encoding = encoding
        self.holder = holder
        self.origin = origin
        self.counter = counter
        self.answeredThrough = answeredThrough
    }
}

/// One who is in a room.
package final class Member {
    package let id: ConnectionID
    let connection: UInt64
    let client: Identifier
    let user: String
    let secret: SecretHash
    package let encoding: FrameEncoding
    /// Its place among the members.
    var index = 0
    // No two accesses overlap here. So Swift does not check that at run time, which would cost time
    // with each transaction or update.
    /// As which author it is known, once it has written.
    @exclusivity(unchecked) var author: Authors.Author?
    /// What it says, and the room knows, of its client's counters.
    @exclusivity(unchecked) var counters: CounterRange
    /// What it is sent of the room.
    @exclusivity(unchecked) var subscription: Subscription
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
    /// What its connection holds: its views of this room, and its part of what the room holds.
    package let holder: Holder
    /// What of the room counts as its own.
    @exclusivity(unchecked) var share: MemberShare
    /// What it sees of the room through views.
    @exclusivity(unchecked) var viewing: Viewing
    /// What it was told of the others; `nil` if it does not want to know.
    @exclusivity(unchecked) var listening: Listening?

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
        encoding = admission.encoding
        subscription = Subscription(
            everyRevision: admission.everyRevision, viewOnly: admission.viewOnly,
            authors: admission.authors, leastSnapshot: leastSnapshot, sent: sent, floor: floor)
        self.author = author
        self.counters = counters
        holder = admission.holder
        share = MemberShare(of: holder)
        viewing = Viewing(of: holder, on: tally)
    }

    package var membership: MembershipID { MembershipID(connection: id, number: number) }

    /// Notes whether what it sends may make the server hold more.
    package func noteShare() {
        share.intake = holder.intake
    }

    /// Whether its holder may have more of the server's memory.
    var hasMemory: Bool { holder.memory.fits(1) }

    /// Counts a transaction of its that goes to the log.
    ///
    /// - Returns: whether it has written so much by now that its shares have to be judged anew.
    func didWrite(_ bytes: Int) -> Bool {
        share.written &+= bytes
        return share.written >= MemberShare.writtenAtOnce || hasLeft
    }

    func countWritten() {
        holder.didWrite(share.written)
        share.written = 0
    }

    /// It can take more: it has taken what it was sent.
    func becomeReady() {
        isReady = true
        viewing.didRead()
    }
}

/// What of a room counts as a member's own.
struct MemberShare {
    /// Its part of what the room holds.
    let part: Charge
    /// The connections of the same holder in the room.
    var group: HolderInRoom?
    /// Which transactions its holder's shares of the server's memory and disk allow.
    var intake = Intake.Measure.all
    /// Bytes that it has written, and that its holder does not know of yet.
    var written = 0
    /// What it has of the room's places.
    private(set) lazy var places = RoomPlaces(in: group?.places ?? RoomPlaces())
    /// What it shows others.
    private(set) lazy var shownBytes = Charge(in: places.presenceBytes)

    /// So many bytes are counted at once.
    static let writtenAtOnce = 4096

    init(of holder: Holder) {
        part = Charge(in: holder.memory, isPart: true)
    }
}
