import SyncBytes
import SyncRoom
import SyncStore
import SyncWire

// The accounts of rooms and connections.
extension RoomHost {
    /// Enters what the room holds now. While a worker has its state, that is left for later.
    func enterMemory() {
        var now = MemoryFigures()
        if phase != .gone, let room = anyRoom {
            if room.isLent { return }
            now.rooms = room.stateBytes
            now.queues = room.queuedBytes
            now.views = room.layoutByteCount
            now.presence = room.presenceByteCount + room.dragByteCount
            now.store = image?.body.count ?? 0
        }
        loop.enter(now, insteadOf: &entered)
    }
}

extension Session {
    /// Enters what the connection holds now.
    func enterMemory() {
        var now = MemoryFigures()
        if phase != .closed {
            now.connections = Session.ownBytes + byteCount
            now.views = viewAccount.byteCount
        }
        loop.enter(now, insteadOf: &entered)
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

    /// Enters what the accounts have changed by in this turn, and has the rooms follow how near the limit
    /// of memory is.
    func settleAccounts() {
        if hasMemoryChange {
            context.memory.enter(memoryChange)
            memoryChange = MemoryFigures()
            hasMemoryChange = false
        }
        let now = context.memory.pressure(beside: context.heldReadBytes, now: pressure)
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
