import SyncWire

/// What a room holds of its server's memory, by what it is held for, and whose that is.
///
/// All of it counts in equal parts for the holders in the room, and a holder's part in equal parts
/// for its connections in it. Of a room that nobody is in nobody has a part.
package final class RoomAccounts {
    let pots: Pots
    private let places: RoomPlaces
    let tally: Tally?
    /// Bytes of ``Chunk``s. Each has a charge of its own.
    let chunks: Account
    /// The encodings that members read, beside the plain one, and how many read each.
    private(set) var encodings: [FrameEncoding] = []
    private var readerCounts: [FrameEncoding: Int] = [:]
    private let charges: [Charge]
    /// What was set aside for something that is made before the room is counted the next time.
    private var setAside: [Charge] = []
    /// What the room had of what transactions add to when it was counted, or when its growth was
    /// noted.
    fileprivate var notedBytes = 0
    @exclusivity(unchecked) private var shares = RoomShares()

    /// - Parameter tally: the room's loop's.
    package init(
        in pots: Pots = Pots(), on tally: Tally? = nil, _ policy: RoomPolicy = RoomPolicy()
    ) {
        places = RoomPlaces(policy)
        self.pots = pots
        self.tally = tally
        chunks = Account(in: pots.memory)
        charges = MemoryKind.allCases.map { Charge(in: pots.memory, as: $0, on: tally) }
    }

    /// How much the room holds of a kind.
    package subscript(kind: MemoryKind) -> Int {
        charges[kind.rawValue].count + (kind == .queues ? chunks.held : 0)
    }

    /// All of it.
    package var total: Int { charges.reduce(chunks.held) { $0 + $1.count } }

    /// Counts what the room holds of a kind.
    package func count(_ bytes: Int, as kind: MemoryKind) {
        charges[kind.rawValue].change(to: bytes)
    }

    /// Ends a count of all kinds: what was set aside is counted by now, and parts follow the sum.
    ///
    /// - Parameter log: bytes of the room that a store in memory has. The server counts them, and
    ///   its holders' parts have them, too.
    func endCount(of members: [Member], log: Int) {
        dropSetAside()
        shares.divide(total + log, among: members)
    }

    /// What was set aside is counted by now, or is made no more.
    func dropSetAside() {
        if !setAside.isEmpty { setAside = [] }
    }

    /// The room is closed, and holds nothing.
    package func close() {
        for charge in charges { charge.change(to: 0) }
        dropSetAside()
    }

    // MARK: Large things

    /// Sets memory aside for something that is made for a holder, if its share and the server's
    /// memory allow.
    ///
    /// - Returns: what has it until it is let go.
    func reserve(_ bytes: Int, as kind: MemoryKind, for holder: Holder) -> Charge? {
        guard holder.memory.fits(bytes) else { return nil }
        let spare = MemoryPressure.growthReserve(of: pots.memory.limit)
        return pots.memory.reserve(bytes, as: kind, leaving: spare, on: tally)
    }

    /// Sets memory aside for chunks, before they are made. What is little is only counted when it
    /// is made. What deletes need is left, but for a room that has no chunks.
    func reserveChunks(_ bytes: Int, on tally: Tally?) -> Charge? {
        guard bytes > RoomAccounts.littleBytes else { return Charge(in: chunks) }
        let spare = chunks.held == 0 ? 0 : MemoryPressure.growthReserve(of: pots.memory.limit)
        return chunks.reserve(bytes, as: .queues, leaving: spare, on: tally)
    }

    /// The same, on the room's loop.
    func reserveChunks(_ bytes: Int) -> Charge? { reserveChunks(bytes, on: tally) }

    /// A charge for a chunk that is made.
    func charge(forChunkOf bytes: Int) -> Charge {
        let charge = Charge(in: chunks, as: .queues, on: tally)
        charge.change(to: bytes)
        return charge
    }

    /// Has a holder pay for what the room has grown by, until the room is counted. Little is only
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

    /// Has something set aside until the room is counted.
    func setAside(_ charge: Charge) {
        setAside.append(charge)
    }

    // MARK: Members

    func enter(_ member: Member) {
        count(1, reading: member.encoding)
        shares.enter(member, total, places)
    }

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
    /// Counts what the room holds. While a worker has its state, that counts as it did.
    ///
    /// - Parameters:
    ///   - own: what it takes beside what is in it.
    ///   - records: bytes of records that are on their way to the log.
    ///   - log: bytes that a store in memory has of it.
    package func countMemory(own: Int, records: Int, log: Int = 0) {
        if place.isHere || place.isReopening {
            accounts.count(own + stateBytes, as: .rooms)
            accounts.count(layoutByteCount, as: .views)
            accounts.notedBytes = growingBytes
        }
        accounts.count(queuedBytes + records, as: .queues)
        accounts.count(presenceByteCount + dragByteCount, as: .presence)
        accounts.endCount(of: members.list, log: log)
    }
}

/// Whose the bytes of a room are: the holders in it have equal parts, and so have each one's
/// connections of its part.
///
/// A part is known to a sixteenth, or 256 bytes, so that not all parts change whenever the room
/// does or somebody comes. A member's part goes with the member, so nothing is left of those who
/// have left.
///
/// # Performance
/// O(m) for m members when parts are due, which is each time after the room, or the number of those
/// in it, has changed by a sixteenth: amortized O(1) for each who comes or leaves.
struct RoomShares {
    private var groups: [ObjectIdentifier: HolderInRoom] = [:]
    /// Each holder's part, as it was divided last.
    private var part = 0
    /// Whether a holder has many more or fewer connections here than when it was divided last.
    private var isUneven = false

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

    /// Divides what the room holds, if parts are due.
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

/// A holder's connections in a room.
final class HolderInRoom {
    let places: RoomPlaces
    fileprivate(set) var memberCount = 0
    /// How many there were when the room was divided last.
    fileprivate var dividedCount = 0

    fileprivate init(_ places: RoomPlaces) {
        self.places = places
    }
}

/// What a room has few of, and what somebody holds of it.
package struct RoomPlaces {
    let layouts: Account
    let sharedDrags: Account
    /// Bytes of what members show each other.
    let presenceBytes: Account

    /// A room's.
    init(_ policy: RoomPolicy = RoomPolicy()) {
        layouts = Account(limit: policy.maximumLayouts)
        sharedDrags = Account(limit: policy.maximumSharedDrags)
        presenceBytes = Account(limit: policy.maximumPresenceBytes)
    }

    /// A holder's in a room, or a connection's of its holder's.
    init(in pots: RoomPlaces) {
        layouts = Account(in: pots.layouts, share: .ofPlaces)
        sharedDrags = Account(in: pots.sharedDrags, share: .ofPlaces)
        presenceBytes = Account(in: pots.presenceBytes, share: .ofBytes)
    }
}
