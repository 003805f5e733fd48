import SyncBytes
import SyncEngine
import SyncIO
import SyncModel
import SyncRoom
import SyncStore
import SyncWire

// The accounts of rooms and connections.
extension RoomHost {
    func countMemory() {
        guard !room.place.isOpening, !room.place.isGone else { return accounts.close() }
        room.countMemory(
            own: RoomHost.ownBytes, records: appends.byteCount,
            log: configuration.storage.isInMemory ? Int(clamping: disk.bytes) : 0)
        if room.place.isHere { watchQuotas() }
        decideIntake()
    }

    /// Decides what input the room accepts until its memory is counted again.
    func decideIntake() {
        // The output that waits for members may be as large as the room may be. Beyond that the
        // room waits for them.
        let isCrowded =
            accounts[.queues] + accounts[.presence] > configuration.room.maximumBytes
        let (limits, now) = (room.policy.writes, loop.loop.nowMilliseconds)
        room.intake = Intake(
            loop.memory.pressure, isCrowded: isCrowded, quota: disk.measure,
            waitMilliseconds: max(quotas.writes.wait(limits, at: now), loop.writeWait),
            rates: CurrentRates(
                ofRoom: limits, ofServer: configuration.storage.writes,
                limitsHolders: configuration.limitsWritesOfAccounts, at: now))
    }

    /// Looks again at what the room uses, and goes on with what waited for a limit.
    func limitsDidChange() {
        watchDisk()
        watchWrites()
        countMemory()
        loop.compose(self)
    }

    /// Charges the rates of the room and of the server with a record. If they allow no more,
    /// transactions are refused until they do.
    func charge(_ record: LogRecord) {
        let (limits, now) = (room.policy.writes, loop.loop.nowMilliseconds)
        let count = record.transactionCount
        loop.chargeWrites(transactions: count, bytes: record.body.count)
        guard limits.isLimited else { return }
        // The use may have been low since it was charged last.
        watchWrites()
        quotas.writes.charge(transactions: count, bytes: record.body.count, limits, at: now)
        watchWrites()
    }

    /// About how many bytes a room uses beside its content: `collsync-bench attacks --secured
    /// rooms` compares what empty rooms take with what they count.
    private static let ownBytes = 10 << 10
}

extension Session {
    /// Counts the connection's memory, if it has changed by ``uncountedBytes`` or more.
    func countMemory() {
        // This runs for each write, so it first compares figures of the connection itself.
        let isOpen = phase != .closed
        let own = Session.ownBytes + transport.memoryBytes
        let bytes = isOpen ? own + inbox.byteCount + outbox.memoryBytes : 0
        if isOpen, abs(bytes - charge.count) < Session.uncountedBytes { return }
        charge.change(to: bytes)
        guard phase == .greeting || phase == .open else { return }
        let limit = holder.connection.limit
        if holder.connection.used + unansweredBytes > limit {
            fail(
                .connectionLimit, "a connection may hold \(limit) bytes of the server's memory")
        }
    }

    /// Notes whether pending output and unanswered transactions use half of the connection's memory
    /// limit. Then it is not read until they use less, which happens without further input.
    func noteCrowd() {
        inbox.isCrowded = outbox.allBytes + unansweredBytes >= holder.connection.limit / 2
    }

    /// The bytes of its transactions that are not answered, in all rooms.
    private var unansweredBytes: Int {
        var bytes = 0
        for index in memberships.indices { bytes += memberships[index].unansweredBytes }
        return bytes
    }

    /// Smaller changes are not counted, since each count takes time.
    private static let uncountedBytes = 1024

    /// Counts the memory for a frame that comes in parts, if it has changed.
    @inline(__always)
    func countFrame() {
        let bytes = inbox.frames.memoryBytes
        if bytes == inbox.countedFrameBytes { return }
        inbox.countedFrameBytes = bytes
        countMemory()
    }

    /// About how many bytes an inactive connection uses.
    private static let ownBytes = 1024
}

extension StoredRoom {
    /// The bytes of its snapshot and its records.
    var byteCount: Int {
        records.reduce(snapshot?.body.count ?? 0) { $0 + $1.body.count }
    }

    /// How many bytes are reserved before a room is read. A room that was written by a server takes
    /// less; if the room takes more, more is reserved while it is built.
    static func memoryBytes(ofStored bytes: Int) -> Int {
        let (needed, overflows) = bytes.multipliedReportingOverflow(by: bytesPerStoredByte)
        return overflows ? .max : needed
    }

    /// How many bytes a room uses in memory at most for each byte of its stored snapshot and log,
    /// if it was not forged.
    private static let bytesPerStoredByte = 6
}

extension RoomRefusal {
    static let outOfMemory = RoomRefusal(
        code: .unavailable, text: "the server is short of memory; try again in a while")

    /// A stored room does not fit into the memory that there would be if nothing used any.
    static func tooLarge(_ bytes: Int) -> RoomRefusal {
        RoomRefusal(
            code: .limitExceeded,
            text: "the room has \(bytes) bytes in the store, too many for the server's memory")
    }

    /// Why so many bytes of a room were not read from the store.
    static func unread(_ bytes: Int, in memory: Account) -> RoomRefusal {
        memory.couldFit(StoredRoom.memoryBytes(ofStored: bytes)) ? .outOfMemory : .tooLarge(bytes)
    }
}

extension ServerLoop {
    /// Adds this turn's changes to the server's accounts, and adapts the rooms to the memory
    /// pressure.
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

/// A room's bytes on disk, as far as they are known. Writes to the room add to them. Near the quota
/// the store is asked, because it also removes old log and snapshots.
struct RoomDisk {
    var bytes: UInt64 = 0
    var measure = Intake.Measure.all
    fileprivate var watch = QuotaWatch()
    fileprivate var isAsking = false
    fileprivate var asked: UInt64 = 0
}

// How much the store has of a room, and the quota for it.
extension RoomHost {
    private static let askMilliseconds: UInt64 = 10_000

    /// Asks the store for the room's size, if that has a limit.
    func measureDisk() {
        guard configuration.storage.maximumRoomDiskBytes != nil, !disk.isAsking else { return }
        disk.isAsking = true
        disk.asked = loop.loop.nowMilliseconds
        loop.context.store.summary(of: name) { [reference] result in
            let summary = (try? result.get()).flatMap { $0 }
            let bytes = summary.map { $0.logBytes + $0.snapshotBytes }
            reference.post { $0.didMeasureDisk(bytes) }
        }
    }

    private func didMeasureDisk(_ bytes: UInt64?) {
        disk.isAsking = false
        if let bytes { disk.bytes = bytes }
        watchDisk()
    }

    func addToDisk(_ count: Int) {
        guard configuration.storage.maximumRoomDiskBytes != nil || configuration.storage.isInMemory
        else {
            return
        }
        disk.bytes += UInt64(count)
        watchDisk()
    }

    private func watchDisk() {
        guard let limit = configuration.storage.maximumRoomDiskBytes else {
            disk.measure = .all
            disk.watch = QuotaWatch()
            return room.relieve(.disk)
        }
        let percent = disk.bytes / max(1, limit / 100)
        note(.disk, &disk.watch, Int(clamping: disk.bytes), of: Int(clamping: limit))
        // Deletes are stored, too, so they have a reserve.
        disk.measure =
            if disk.bytes < limit { .all } else if percent < RoomHost.reservePercent {
                .deletes
            } else { .nothing }
        decideIntake()
        if percent >= 80, loop.loop.nowMilliseconds >= disk.asked + RoomHost.askMilliseconds {
            measureDisk()
        }
    }

    private static let reservePercent: UInt64 = 112
}
