import SyncBytes
import SyncModel
import SyncRoom
import SyncWire

/// The rooms of a loop, by name and by handle.
///
/// Messages for a room come in runs, so the room that was looked up last by its handle is found
/// without a search.
struct HostTable {
    private var byName: [RoomName: RoomHost] = [:]
    private var byHandle: [RoomHandle: RoomHost] = [:]
    /// The room that was looked up last by its handle.
    private var latest: RoomHost?
    /// Whether it was looked up since ``forgetUse()``.
    private var isUsed = false

    private var lastNumber: RoomHandle = 0
    var idle = IdleRooms()
    /// Rooms that wait to be opened, and the holders whose memory they will use.
    var openings = OpeningQueue<(room: RoomHandle, holder: Holder?)>()
    /// The slots of rooms that were closed before it was their turn to be opened. They are given
    /// back then.
    var slotsOfClosed: [RoomHandle: RoomSlot] = [:]
    /// Counts the rooms that are being deleted without having been open.
    let deletions = Account(limit: 1024)

    /// The room that was looked up last by its handle since ``forgetUse()``.
    var used: RoomHost? { isUsed ? latest : nil }

    var all: some Collection<RoomHost> { byName.values }

    subscript(name: RoomName) -> RoomHost? { byName[name] }

    subscript(handle: RoomHandle) -> RoomHost? {
        mutating get {
            if let latest, latest.handle == handle {
                isUsed = true
                return latest
            }
            guard let host = byHandle[handle] else { return nil }
            latest = host
            isUsed = true
            return host
        }
    }

    mutating func forgetUse() {
        isUsed = false
    }

    /// A handle that no room has.
    ///
    /// - Parameter handle: makes a handle of this loop from a number.
    mutating func makeHandle(_ handle: (RoomHandle) -> RoomHandle) -> RoomHandle {
        repeat {
            lastNumber &+= 1
        } while byHandle[handle(lastNumber)] != nil
        return handle(lastNumber)
    }

    mutating func add(_ host: RoomHost) {
        byName[host.name] = host
        byHandle[host.handle] = host
    }

    mutating func remove(_ host: RoomHost) {
        byName[host.name] = nil
        byHandle[host.handle] = nil
        latest = nil
    }
}

/// A room's slot among the open rooms. It is charged to a connection that uses the room: first to
/// the one that opened it, as long as that is a member or something is read; then to another
/// member. The slot of an unused room is charged to no connection, and the next one that needs a
/// slot gets it.
struct RoomSlot {
    fileprivate let charge: Charge
    fileprivate var owner: ConnectionID?
    /// Whether there was ever a member. A room that was opened only to be read is closed soon.
    fileprivate(set) var wasJoined = false

    static let readMilliseconds: UInt64 = 1000

    init(_ charge: Charge) {
        self.charge = charge
    }
}

extension RoomHost {
    /// Charges the slot to a connection that uses the room now.
    func reassignSlot() {
        guard slot != nil else { return }
        if let owner = slot?.owner, room.member(owner) != nil { return }
        let next = room.firstMember
        if next != nil { slot?.wasJoined = true }
        if next == nil, feedCount > 0 || room.hasTasks { return }
        slot?.owner = next?.id
        slot?.charge.move(to: next?.holder.rooms ?? loop.context.pots.rooms)
    }
}

/// Open rooms that nobody uses, the longest unused first.
struct IdleRooms {
    private var line = Fifo<(handle: RoomHandle, number: UInt64)>()
    private var places: [RoomHandle: (number: UInt64, bytes: Int)] = [:]
    private var lastNumber: UInt64 = 0
    /// The memory that they took when they became unused.
    private(set) var byteCount = 0

    mutating func add(_ host: RoomHost) {
        remove(host.handle)
        lastNumber += 1
        let bytes = host.accounts.total
        byteCount += bytes
        places[host.handle] = (lastNumber, bytes)
        line.append((host.handle, lastNumber))
        if line.count > 2 * places.count + IdleRooms.spareEntries {
            for entry in line.removeAll() where places[entry.handle]?.number == entry.number {
                line.append(entry)
            }
        }
    }

    mutating func remove(_ host: RoomHost) {
        remove(host.handle)
    }

    private mutating func remove(_ handle: RoomHandle) {
        byteCount -= places.removeValue(forKey: handle)?.bytes ?? 0
    }

    /// Removes and returns the longest unused room.
    mutating func popFirst() -> RoomHandle? {
        while let (handle, number) = line.popFirst() {
            if places[handle]?.number == number {
                remove(handle)
                return handle
            }
        }
        return nil
    }

    private static let spareEntries = 64
}

extension ServerLoop {
    /// Closes the longest unused room. The log has all its content, so no image is written.
    ///
    /// - Returns: `false` if there is none.
    func closeIdleRoom() -> Bool {
        while let handle = hosts.idle.popFirst() {
            guard let host = hosts[handle], host.isIdle else { continue }
            budget.spend(WorkCost.unload.steps())
            close(host)
            return true
        }
        return false
    }

    /// Closes unused rooms until that is enough, but a limited number at once.
    ///
    /// - Returns: whether one was closed.
    func closeIdleRooms(until isEnough: () -> Bool) -> Bool {
        var count = 0
        while count < ServerLoop.mostClosedAtOnce, !isEnough(), closeIdleRoom() {
            count += 1
            tally.settle()
        }
        return count > 0
    }

    /// Closes unused rooms while memory is short.
    func closeIdleRooms() {
        let pot = context.pots.memory
        while MemoryPressure(of: pot, now: memory.pressure) >= .sheds {
            guard budget.left > 0 else {
                budget.noteRest()
                return askForTurnEnd()
            }
            guard closeIdleRoom() else { return }
            tally.settle()
        }
    }

    private static let mostClosedAtOnce = 64
}
