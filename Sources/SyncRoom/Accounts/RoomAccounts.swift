import SyncWire

/// What a room holds of its server's memory, by what it is held for, and whose that is.
///
/// All of it counts in equal parts for the holders in the room, and a holder's part in equal parts for its connections in
/// it. Of a room that nobody is in nobody has a part.
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
    /// What the room had of what transactions add to when it was counted, or when its growth was noted.
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
    /// - Parameter log: bytes of the room that a store in memory has. The server counts them, and its holders' parts
    ///   have them, too.
    func endCount(of members: [Member], log: Int) {
        if !setAside.isEmpty { setAside = [] }
        shares.divide(total + log, among: members)
    }

    /// The room is closed, and holds nothing.
    package func close() {
        for charge in charges { charge.change(to: 0) }
        setAside = []
    }

    // MARK: Large things

    /// Sets memory aside for something that is made for a holder, if its share and the server's memory allow.
    ///
    /// - Returns: what has it until it is let go.
    func reserve(_ bytes: Int, as kind: MemoryKind, for holder: Holder) -> Charge? {
        guard holder.memory.fits(bytes) else { return nil }
        let spare = MemoryPressure.growthReserve(of: pots.memory.limit)
        return pots.memory.reserve(bytes, as: kind, leaving: spare, on: tally)
    }

    /// Sets memory aside for chunks, before they are made. What is little is only counted when it is made. What
    /// deletes need is left, but for a room that has no chunks.
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

    /// Has a holder pay for what the room has grown by, until the room is counted. Little is only counted then.
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
