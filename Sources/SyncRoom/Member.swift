import SyncBytes
package import SyncModel
package import SyncWire

/// A connection's number, by which its rooms know it.
package struct ConnectionID: Hashable, Sendable {
    package let value: UInt64

    package init(value: UInt64) {
        self.value = value
    }
}

/// One stay of a connection in a room. When a connection leaves and joins again, that is another
/// membership.
package struct MembershipID: Hashable, Sendable {
    package let connection: ConnectionID
    /// The number of the membership in the room.
    package let number: UInt32
}

/// What a connection says of itself and its client when it joins a room.
package struct Admission: Sendable {
    package var member: ConnectionID
    /// The number of its connection; those made later have higher ones.
    package var connection: UInt64
    package var client: Identifier
    /// The user that has signed in; empty if nobody has.
    package var user: UserName
    /// What others see as the user's name; may be empty.
    package var displayName: String
    package var role: Role
    package var secret: [UInt8]
    /// The revision that the client has, if any.
    package var from: Revision?
    package var everyRevision: Bool
    /// The member wants no batches.
    package var viewOnly: Bool
    /// The member exchanges presence with all others that want it, too.
    package var presence: Bool
    /// The member wants to know who made what it is sent.
    package var authors: Bool
    /// The encoding of its frames.
    package var encoding: FrameEncoding
    /// The holder that pays for its connection.
    package var holder: Holder
    /// The room and epoch of ``from``, or of what the client had last.
    package var origin: Origin?
    /// The greatest counter that the client has sent before.
    package var counter: UInt64
    /// All its transactions up to this counter are answered; `nil` if it wants no ``EarlyAnswers``.
    package var answeredThrough: UInt64?

    package init(
        member: ConnectionID, connection: UInt64 = 0, client: Identifier, user: UserName = .nobody,
        displayName: String = "", role: Role = .admin, secret: [UInt8] = [], from: Revision? = nil,
        everyRevision: Bool = false,
        viewOnly: Bool = false, presence: Bool = false, authors: Bool = false,
        encoding: FrameEncoding = .plain,
        holder: Holder = Holder(in: Pots()),
        origin: Origin? = nil, counter: UInt64 = 0, answeredThrough: UInt64? = nil
    ) {
        self.member = member
        self.connection = connection
        self.client = client
        self.user = user
        self.displayName = displayName
        self.role = role
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

/// A member of a room: one membership of one connection.
package final class Member {
    package let id: ConnectionID
    let connection: UInt64
    let client: Identifier
    let user: UserName
    let displayName: String
    let secret: SecretHash
    package let encoding: FrameEncoding
    /// Its index in ``MemberTable/list``.
    var index = 0
    // Exclusivity checks are off here: they cost time with each transaction or update, and no two
    // accesses overlap.
    /// Its author, once it has written.
    @exclusivity(unchecked) var author: Authors.Author?
    /// Which counters its client has used.
    @exclusivity(unchecked) var counters: CounterRange
    /// What it is sent of the room's content.
    @exclusivity(unchecked) var subscription: Subscription
    /// The number of this membership, see ``MembershipID``.
    @exclusivity(unchecked) var number: UInt32 = 0
    /// Whether it has left. Its transactions may still be queued.
    @exclusivity(unchecked) var hasLeft = false
    /// The position of its last transaction among all that the room ever queued; 0 if it sent none.
    @exclusivity(unchecked) var lastQueued: UInt64 = 0
    /// The last of its answers that waited for the log; 0 if none did.
    @exclusivity(unchecked) var lastPending: AnswerQueue.Ordinal = 0
    /// Whether it can take the next delivery.
    @exclusivity(unchecked) var isReady = true
    /// Pays for its views of this room and for its part of the room's memory.
    package let holder: Holder
    /// What its holder is charged for in this room.
    @exclusivity(unchecked) var share: MemberShare
    /// What it sees of the room through views.
    @exclusivity(unchecked) var viewing: Viewing
    /// Which presence it was sent; `nil` if it has joined without presence.
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
        displayName = admission.displayName
        self.secret = secret
        encoding = admission.encoding
        subscription = Subscription(
            everyRevision: admission.everyRevision, viewOnly: admission.viewOnly,
            authors: admission.authors, leastSnapshot: leastSnapshot, sent: sent, floor: floor,
            warnings: MemberWarnings(role: admission.role))
        self.author = author
        self.counters = counters
        holder = admission.holder
        share = MemberShare(of: holder)
        viewing = Viewing(of: holder, on: tally)
    }

    package var membership: MembershipID { MembershipID(connection: id, number: number) }

    /// Reads from its holder's shares which transactions are accepted from it.
    package func noteShare() {
        share.intake = holder.intake
    }

    /// Whether its holder may be charged for more memory.
    var hasMemory: Bool { holder.memory.fits(1) }

    /// Counts the bytes of one of its transactions, which goes to the log.
    ///
    /// - Returns: whether so many bytes are uncounted that ``Room/countWritten(by:)`` is due.
    func didWrite(_ bytes: Int) -> Bool {
        share.written &+= bytes
        return share.written >= MemberShare.writtenAtOnce || hasLeft
    }

    /// Why its holder may write no more for a while: for its own rates, or for its shares of the
    /// others; `nil` if it may. Of a room's rates there are shares if several holders are in the
    /// room.
    @inline(never)
    func refusal(_ rates: CurrentRates, isAlone: Bool) -> Rejection? {
        let ofOwn = holder.writes.wait(at: rates.now)
        let ofServer = holder.writes.wait(rates.ofServer, at: rates.now)
        let group = isAlone ? nil : share.group
        let ofRoom = group?.places.writes.wait(rates.ofRoom, at: rates.now) ?? 0
        let ofShares = max(ofServer, ofRoom)
        if max(ofOwn, ofShares) == 0 { return nil }
        return ofOwn >= ofShares
            ? .overOwnRate(retryAfterMilliseconds: ofOwn)
            : .overShare(retryAfterMilliseconds: ofShares)
    }

    /// Counts one of its transactions for the rates.
    @inline(never)
    func note(_ transaction: TransactionView, for rates: CurrentRates) {
        let bytes = transaction.bytes.count
        if rates.ofRoom.isLimited {
            share.group?.places.writes.add(
                transactions: 1, bytes: bytes, at: rates.now, ofAll: true)
        }
        holder.writes.add(
            transactions: 1, bytes: bytes, at: rates.now, ofAll: rates.ofServer.isLimited)
    }

    func countWritten() {
        holder.didWrite(share.written)
        share.written = 0
    }

    /// It has read what it was sent, and is ready for more.
    func becomeReady() {
        isReady = true
        viewing.didRead()
    }
}

/// What a member's holder is charged for in a room.
struct MemberShare {
    /// Its part of the room's memory.
    let part: Charge
    /// The members with the same holder.
    var group: HolderInRoom?
    /// Which transactions its holder's shares of memory and disk allow.
    var intake = Intake.Measure.all
    /// Bytes that it has written and that its holder's disk account does not have yet.
    var written = 0
    /// Its accounts for layouts, shared drags and presence.
    private(set) lazy var places = RoomPlaces(in: group?.places ?? RoomPlaces())
    /// Bytes of the presence that it shows others.
    private(set) lazy var shownBytes = Charge(in: places.presenceBytes)

    /// Written bytes go to the holder's account in steps of so many.
    static let writtenAtOnce = 4096

    init(of holder: Holder) {
        part = Charge(in: holder.memory, isPart: true)
    }
}
