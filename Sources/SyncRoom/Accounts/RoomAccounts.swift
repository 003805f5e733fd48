import SyncWire

/// The memory of a room, by kind, and its parts for the room's holders.
///
/// The holders in a room have equal parts of it, and a holder's connections there have equal parts
/// of the holder's. A room without members is nobody's part.
package final class RoomAccounts {
    let pots: Pots
    private let places: RoomPlaces
    let tally: Tally?
    /// What the room does, for the server's metrics.
    package let counts: RoomCounts
    /// What it has added to the sums there.
    @exclusivity(unchecked) var sizes = RoomSizes()
    /// Bytes of ``Chunk``s. Each chunk has its own charge.
    let chunks: Account
    /// The encodings that members read, without the plain one, and the number of members that read
    /// each.
    private(set) var encodings: [FrameEncoding] = []
    private var readerCounts: [FrameEncoding: Int] = [:]
    private let charges: [Charge]
    /// Reservations for things that are made before the room is counted the next time.
    private var setAside: [Charge] = []
    /// ``Room/growingBytes`` when the room was counted last, or its growth was noted.
    fileprivate var notedBytes = 0
    @exclusivity(unchecked) private var shares = RoomShares()

    /// - Parameters:
    ///   - tally: the tally of the room's loop.
    ///   - counts: the counts of the room's loop.
    package init(
        in pots: Pots = Pots(), on tally: Tally? = nil, counts: RoomCounts = RoomCounts(),
        _ policy: RoomPolicy = RoomPolicy()
    ) {
        self.counts = counts
        places = RoomPlaces(policy)
        self.pots = pots
        self.tally = tally
        chunks = Account(in: pots.memory)
        charges = MemoryKind.allCases.map { Charge(in: pots.memory, as: $0, on: tally) }
    }

    /// The room's bytes of a kind.
    package subscript(kind: MemoryKind) -> Int {
        charges[kind.rawValue].count + (kind == .queues ? chunks.used : 0)
    }

    /// The room's bytes of all kinds.
    package var total: Int { charges.reduce(chunks.used) { $0 + $1.count } }

    /// Sets the room's bytes of a kind.
    package func count(_ bytes: Int, as kind: MemoryKind) {
        charges[kind.rawValue].change(to: bytes)
    }

    /// Ends a count of all kinds: drops the reservations, which are counted by now, and divides the
    /// sum among the members.
    ///
    /// - Parameter log: bytes of the room in a store in memory. The server charges for them; they
    ///   only add to the holders' parts here.
    func endCount(of members: [Member], log: Int) {
        dropSetAside()
        shares.divide(total + log, among: members)
    }

    /// Drops the reservations: their things are counted by now, or will not be made.
    func dropSetAside() {
        if !setAside.isEmpty { setAside = [] }
    }

    /// Changes the limits of what is scarce in the room.
    func change(to policy: RoomPolicy) {
        places.layouts.limit = policy.maximumLayouts
        places.sharedDrags.limit = policy.maximumSharedDrags
        places.presenceBytes.limit = policy.maximumPresenceBytes
    }

    /// The room is closed, and uses nothing.
    package func close() {
        for charge in charges { charge.change(to: 0) }
        dropSetAside()
    }

    // MARK: Large things

    /// Reserves memory for something that is made for a holder, if the holder's share and the
    /// server's memory allow it.
    ///
    /// - Returns: a charge for it; `nil` if there is not enough.
    func reserve(_ bytes: Int, as kind: MemoryKind, for holder: Holder) -> Charge? {
        guard holder.memory.fits(bytes) else { return nil }
        let spare = MemoryPressure.growthReserve(of: pots.memory.limit)
        return pots.memory.reserve(bytes, as: kind, leaving: spare, on: tally)
    }

    /// Reserves memory for chunks before they are made. Small chunks are only charged when they are
    /// made. Leaves what deletes need, unless the room has no chunks.
    func reserveChunks(_ bytes: Int, on tally: Tally?) -> Charge? {
        guard bytes > RoomAccounts.littleBytes else { return Charge(in: chunks) }
        let spare = chunks.used == 0 ? 0 : MemoryPressure.growthReserve(of: pots.memory.limit)
        return chunks.reserve(bytes, as: .queues, leaving: spare, on: tally)
    }

    /// The same, on the room's loop.
    func reserveChunks(_ bytes: Int) -> Charge? { reserveChunks(bytes, on: tally) }

    /// A charge for a new chunk.
    func charge(forChunkOf bytes: Int) -> Charge {
        let charge = Charge(in: chunks, as: .queues, on: tally)
        charge.change(to: bytes)
        return charge
    }

    /// Charges a holder for the room's growth, until the room is counted. Small growth is only
    /// counted then.
    func noteGrowth(to bytes: Int, by holder: Holder) {
        guard bytes - notedBytes >= RoomAccounts.littleGrowth else { return }
        let charge = Charge(in: holder.memory, as: .rooms)
        charge.change(to: bytes - notedBytes)
        setAside.append(charge)
        notedBytes = bytes
    }

    private static let littleGrowth = 4096
    private static let littleBytes = 64 << 10

    /// Keeps a reservation until the room is counted.
    func setAside(_ charge: Charge) {
        setAside.append(charge)
    }

    // MARK: Members

    func enter(_ member: Member) {
        count(1, reading: member.encoding)
        shares.enter(member, total, places)
    }

    /// How many holders have a connection in the room.
    var holderCount: Int { shares.holderCount }

    func leave(_ member: Member) {
        count(-1, reading: member.encoding)
        shares.leave(member)
        member.countWritten()
    }

    private func count(_ change: Int, reading encoding: FrameEncoding) {
        guard encoding != .plain else { return }
        let count = readerCounts[encoding, default: 0] + change
        readerCounts[encoding] = count
        if count == 1, change > 0 { encodings.append(encoding) }
        if count == 0 { encodings.removeAll { $0 == encoding } }
    }
}

extension Room {
    /// Counts the room's memory. While a worker has its state, the state's last count stays.
    ///
    /// - Parameters:
    ///   - own: bytes of the room's objects, beside its content.
    ///   - records: bytes of records that are on their way to the log.
    ///   - log: bytes of the room in a store in memory.
    package func countMemory(own: Int, records: Int, log: Int = 0) {
        if place.isHere || place.isReopening {
            accounts.count(own + stateBytes, as: .rooms)
            accounts.count(layoutByteCount, as: .views)
            accounts.notedBytes = growingBytes
        }
        accounts.count(queuedBytes + records, as: .queues)
        accounts.count(presenceByteCount + dragByteCount, as: .presence)
        accounts.endCount(of: members.list, log: log)
        countSizes()
    }
}

/// Divides a room's bytes: its holders have equal parts, and a holder's connections have equal
/// parts of the holder's.
///
/// A part may be wrong by a sixteenth or 256 bytes, so that not all parts change whenever the room
/// changes or a member joins. A member's part is released when it leaves.
///
/// # Performance
/// Dividing takes O(m) for m members. It happens after the room's bytes, or a holder's number of
/// connections, have changed by a sixteenth: amortized O(1) for each member that joins or leaves.
struct RoomShares {
    private var groups: [ObjectIdentifier: HolderInRoom] = [:]
    /// Each holder's part at the last division.
    private var part = 0
    /// Whether a holder has many more or fewer connections here than at the last division.
    private var isUneven = false

    var holderCount: Int { groups.count }

    mutating func enter(_ member: Member, _ total: Int, _ places: RoomPlaces) {
        let top = member.holder.top
        let group = groups[ObjectIdentifier(top)] ?? HolderInRoom(RoomPlaces(in: places))
        groups[ObjectIdentifier(top)] = group
        group.memberCount += 1
        member.share.group = group
        member.share.part.change(to: total / groups.count / group.memberCount)
        noteCount(of: group)
    }

    mutating func leave(_ member: Member) {
        guard let group = member.share.group else { return }
        member.share.group = nil
        member.share.part.change(to: 0)
        group.memberCount -= 1
        if group.memberCount == 0 {
            groups[ObjectIdentifier(member.holder.top)] = nil
        } else {
            noteCount(of: group)
        }
    }

    private mutating func noteCount(of group: HolderInRoom) {
        let change = abs(group.memberCount - group.dividedCount)
        if change * 16 > group.dividedCount { isUneven = true }
    }

    /// Divides the room's bytes, if they have changed enough.
    mutating func divide(_ total: Int, among members: [Member]) {
        if groups.isEmpty { return }
        let now = total / groups.count
        let change = abs(now - part)
        guard isUneven || change > max(RoomShares.leastChange, part / 16) else { return }
        part = now
        isUneven = false
        for group in groups.values { group.dividedCount = group.memberCount }
        for member in members {
            if let group = member.share.group {
                member.share.part.change(to: now / group.memberCount)
            }
        }
    }

    private static let leastChange = 256
}

/// A holder in a room, with the number of its connections there.
final class HolderInRoom {
    let places: RoomPlaces
    fileprivate(set) var memberCount = 0
    /// How many there were at the last division.
    fileprivate var dividedCount = 0

    fileprivate init(_ places: RoomPlaces) {
        self.places = places
    }
}

/// Accounts for the scarce resources of a room. The room, each of its holders, and each connection
/// have their own.
package struct RoomPlaces {
    let layouts: Account
    let sharedDrags: Account
    /// Bytes of presence.
    let presenceBytes: Account
    /// What was written lately.
    let writes: WriteUse

    /// Makes a room's.
    init(_ policy: RoomPolicy = RoomPolicy()) {
        layouts = Account(limit: policy.maximumLayouts)
        sharedDrags = Account(limit: policy.maximumSharedDrags)
        presenceBytes = Account(limit: policy.maximumPresenceBytes)
        writes = WriteUse()
    }

    /// Makes a holder's below the room's, or a connection's below its holder's.
    init(in pots: RoomPlaces) {
        layouts = Account(in: pots.layouts, share: .ofPlaces)
        sharedDrags = Account(in: pots.sharedDrags, share: .ofPlaces)
        presenceBytes = Account(in: pots.presenceBytes, share: .ofBytes)
        writes = WriteUse(in: pots.writes)
    }
}
