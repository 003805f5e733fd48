import SyncBytes
import SyncEngine
import SyncRoom
import SyncStore
import SyncWire

// The accounts of rooms and connections.
extension RoomHost {
    /// Counts what the room holds now.
    func countMemory() {
        guard !room.place.isOpening, !room.place.isGone else { return accounts.close() }
        room.countMemory(
            own: RoomHost.ownBytes, records: appends.byteCount,
            log: configuration.storage.isInMemory ? Int(clamping: disk.bytes) : 0)
        if room.place.isHere { watchQuotas() }
        decideIntake()
    }

    /// Decides what the room takes until it is counted again.
    func decideIntake() {
        // Beside what is in the room there may be as much for its members; then it has to wait for them.
        let isCrowded =
            accounts[.queues] + accounts[.presence] > configuration.room.maximumBytes
        room.intake = Intake(loop.memory.pressure, isCrowded: isCrowded, quota: disk.measure)
    }

    /// Says when the room is nearly full, before it refuses anything.
    private func watchQuotas() {
        let (engine, policy) = (room.state.engine, configuration.room)
        let bytes = room.quotaBytes
        if quotas.bytes.isNews(bytes, of: policy.maximumBytes) {
            warn("bytes", bytes, policy.maximumBytes)
        }
        if quotas.items.isNews(engine.itemCount, of: policy.maximumItems) {
            warn("items", engine.itemCount, policy.maximumItems)
        }
    }

    func warn(_ what: String, _ count: Int, _ limit: Int) {
        loop.context.log.log(
            .warning, "a room is nearly full",
            ["room": name.text, "of": what, "count": "\(count)", "limit": "\(limit)"])
    }

    /// What a room takes beside what is in it, about.
    private static let ownBytes = 4096
}

extension Session {
    /// Counts what the connection holds now, if that is much more or less than it was.
    func countMemory() {
        // Each write comes here: first only the figures that a connection has are looked at.
        let isOpen = phase != .closed
        let bytes = isOpen ? Session.ownBytes + byteCount : 0
        if isOpen, abs(bytes - charge.count) < Session.uncountedBytes { return }
        charge.change(to: bytes)
        guard phase == .greeting || phase == .open else { return }
        let limit = holder.connection.limit
        if holder.connection.held + unansweredBytes > limit {
            fail(
                .connectionLimit, "a connection may hold \(limit) bytes of the server's memory")
        }
    }

    /// Notes whether what is to be taken and answered first takes half of what the connection may hold: then
    /// it is not read until there is less. All of that gets less by itself.
    func noteCrowd() {
        inbox.isCrowded = outbox.allBytes + unansweredBytes >= holder.connection.limit / 2
    }

    /// The bytes of its transactions that are not answered, in all rooms.
    private var unansweredBytes: Int {
        var bytes = 0
        for index in memberships.indices { bytes += memberships[index].unansweredBytes }
        return bytes
    }

    /// So much less or more is not counted, as it costs each time.
    private static let uncountedBytes = 1024

    /// Counts the memory for a frame that comes in parts, if it is another than was counted.
    @inline(__always)
    func countFrame() {
        let bytes = inbox.frames.memoryBytes
        if bytes == inbox.countedFrameBytes { return }
        inbox.countedFrameBytes = bytes
        countMemory()
    }

    /// What a connection on which nothing happens takes, about.
    private static let ownBytes = 1024
}

extension StoredRoom {
    /// How many bytes of it the store has.
    private var byteCount: Int {
        records.reduce(snapshot?.body.count ?? 0) { $0 + $1.body.count }
    }

    /// How many bytes it takes in memory, at most.
    var memoryBytes: Int { StoredRoom.memoryBytes(ofStored: byteCount) }

    static func memoryBytes(ofStored bytes: Int) -> Int {
        let (needed, overflows) = bytes.multipliedReportingOverflow(by: bytesPerStoredByte)
        return overflows ? .max : needed
    }

    /// How many bytes a room takes in memory for each byte of its stored snapshot and log, at most.
    private static let bytesPerStoredByte = 6
}

extension RoomRefusal {
    static let outOfMemory = RoomRefusal(
        code: .unavailable, text: "the server is short of memory; try again in a while")
}

extension ServerLoop {
    /// Tells the server what this turn has changed, and has the rooms follow how near the limit of memory is.
    func settleAccounts() {
        if configuration.storage.isInMemory, index == 0 {
            memory.store.change(to: Int(clamping: context.store.usedBytes))
        }
        tally.settle()
        let pot = context.pots.memory
        let former = memory.pressure
        if former >= .sheds { closeIdleRooms() }
        let now = MemoryPressure(of: pot, now: former)
        if now == former { return }
        if now >= .sheds { askForTurnEnd() }
        memory.pressure = now
        for host in hosts.all {
            host.decideIntake()
            guard now >= .sheds, host.room.place.isHere else { continue }
            if host.room.dropUnreadLayouts() > 0 { host.countMemory() }
        }
        guard context.note(now) else { return }
        let figures = pot.memory
        context.log.log(
            now >= .refusesGrowth ? .warning : .info,
            now >= .refusesGrowth ? "memory is short" : "memory is no longer short",
            [
                "bytes": "\(figures.total)", "limit": "\(pot.limit)",
                "held": figures.description,
            ])
    }
}
