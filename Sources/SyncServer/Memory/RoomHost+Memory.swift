import SyncBytes
import SyncEngine
import SyncRoom
import SyncStore
import SyncWire

// The accounts of rooms and connections.
extension RoomHost {
    /// Enters what the room holds now. While a worker has its state, that counts as it did.
    func enterMemory() {
        var now = MemoryFigures()
        if phase != .gone, let room = anyRoom {
            now.rooms = room.isLent ? entered.rooms : RoomHost.ownBytes + room.stateBytes
            now.queues = room.queuedBytes + room.transferBytes + recordBytes.total
            now.views = room.isLent ? entered.views : room.layoutByteCount
            now.presence = room.presenceByteCount + room.dragByteCount
            now.store = (image?.body.count ?? 0) + savingBytes
            if !room.isLent { watchQuotas(room) }
            // Beside what is in the room there may be as much for its members; then it has to wait for them.
            let isCrowded = now.queues + now.presence + now.store > configuration.room.maximumBytes
            room.pressure = max(loop.pressure, isCrowded ? .refusesGrowth : .none)
        }
        loop.enter(now, insteadOf: &entered)
    }

    /// Says when the room is nearly full, before it refuses anything.
    private func watchQuotas(_ room: Room) {
        let (engine, policy) = (room.state.engine, configuration.room)
        if byteWatch.isNews(engine.byteCount, of: policy.maximumBytes) {
            warn("bytes", engine.byteCount, policy.maximumBytes)
        }
        if itemWatch.isNews(engine.itemCount, of: policy.maximumItems) {
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

/// How many bytes the records have that are on their way to the store, which answers for them in order.
struct RecordBytes {
    private var counts: [Int] = []
    private(set) var total = 0

    mutating func add(_ count: Int) {
        counts.append(count)
        total += count
    }

    mutating func removeFirst() {
        if counts.isEmpty { return }
        total -= counts.removeFirst()
    }
}

extension Session {
    /// Enters what the connection holds now, if that is much more or less than it was.
    func enterMemory() {
        // Each write comes here: first only the figures that a connection has are looked at.
        let isOpen = phase != .closed
        let connections = isOpen ? Session.ownBytes + byteCount : 0
        let views = isOpen ? memory.views.byteCount : 0
        let change = max(
            (connections &- entered.connections).magnitude,
            (views &- entered.views).magnitude)
        if isOpen, change < Session.unenteredBytes { return }
        var now = MemoryFigures()
        now.connections = connections
        now.views = views
        loop.enter(now, insteadOf: &entered)
        guard phase == .greeting || phase == .open else { return }
        if memory.enter(own: now.connections + unansweredBytes) {
            fail(
                .connectionLimit,
                "a connection may hold \(memory.limit) bytes of the server's memory")
        }
    }

    /// Notes whether what is to be taken and answered first takes half of what the connection may hold: then
    /// it is not read until there is less. All of that gets less by itself.
    func noteCrowd() {
        inbox.isCrowded = outbox.allBytes + unansweredBytes >= memory.limit / 2
    }

    /// The bytes of its transactions that are not answered, in all rooms.
    private var unansweredBytes: Int {
        var bytes = 0
        for index in memberships.indices { bytes += memberships[index].unansweredBytes }
        return bytes
    }

    /// So much less or more is not entered, as it costs each time.
    private static let unenteredBytes = 1024

    /// Enters the memory for a frame that comes in parts, if it is more than was entered.
    @inline(__always)
    func enterFrame() {
        let bytes = inbox.frames.memoryBytes
        if bytes == enteredFrameBytes { return }
        enteredFrameBytes = bytes
        enterMemory()
    }

    /// What a connection on which nothing happens takes, about.
    private static let ownBytes = 1024
}

extension StoredRoom {
    /// How many bytes of it the store has.
    var byteCount: Int {
        records.reduce(snapshot?.body.count ?? 0) { $0 + $1.body.count }
    }
}

extension RoomRefusal {
    static let outOfMemory = RoomRefusal(
        code: .unavailable, text: "the server is short of memory; try again in a while")
}

extension ServerLoop {
    /// Notes that an account has changed.
    @inline(__always)
    func enter(_ now: MemoryFigures, insteadOf entered: inout MemoryFigures) {
        if now == entered { return }
        memoryChange += now
        memoryChange -= entered
        entered = now
        hasMemoryChange = true
    }

    /// Sets memory aside for something that is made in this turn; `false` if there is not so much.
    func reserve(_ bytes: Int, for kind: MemoryKind) -> Bool {
        guard
            let reservation = context.memory.reserve(
                bytes, for: kind, beside: memoryChange.total)
        else { return false }
        reservations.append(reservation)
        return true
    }

    /// Enters what the accounts have changed by in this turn, and has the rooms follow how near the limit
    /// of memory is.
    func settleAccounts() {
        if hasMemoryChange {
            context.memory.enter(memoryChange)
            memoryChange = MemoryFigures()
            hasMemoryChange = false
        }
        // What was set aside has an account now.
        reservations = []
        let now = context.memory.pressure(now: pressure)
        if now == pressure { return }
        pressure = now
        for host in hosts.all {
            host.anyRoom?.pressure = now
            if now >= .sheds, host.room?.dropUnreadLayouts() ?? 0 > 0 { host.enterMemory() }
        }
        guard context.memory.note(now) else { return }
        let figures = context.memory.figures
        context.log.log(
            now >= .refusesGrowth ? .warning : .info,
            now >= .refusesGrowth ? "memory is short" : "memory is no longer short",
            [
                "bytes": "\(figures.total)", "limit": "\(context.memory.limitBytes)",
                "held": figures.description,
            ])
    }
}
