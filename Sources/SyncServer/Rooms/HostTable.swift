import SyncBytes
import SyncModel
import SyncRoom
import SyncWire

/// The rooms of a loop, by name and by handle.
///
/// What comes for a room comes in runs, so the room asked for last by its handle is found without a
/// search.
struct HostTable {
    private var byName: [RoomName: RoomHost] = [:]
    private var byHandle: [RoomHandle: RoomHost] = [:]
    /// The one asked for last by its handle.
    private var latest: RoomHost?
    /// Whether it was asked for since ``forgetUse()``.
    private var isUsed = false

    private var lastNumber: RoomHandle = 0
    var idle = IdleRooms()
    /// Rooms that are being deleted without having been open.
    let deletions = Account(limit: 1024)

    /// The room asked for last by its handle, since ``forgetUse()``.
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
    /// - Parameter handle: the handle of a number on this loop.
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

/// A room's slot among those that are open. It is on the account of one who needs the room: of who
/// had it opened, as long as that is in it or reads, then of a member. Of a room that nobody needs
/// it is on nobody's, and goes to the next who needs one.
struct RoomSlot {
    fileprivate let charge: Charge
    fileprivate var owner: ConnectionID?
    /// Whether somebody ever joined: what was opened to be read only is closed soon.
    fileprivate(set) var wasJoined = false

    static let readMilliseconds: UInt64 = 1000

    init(_ charge: Charge) {
        self.charge = charge
    }
}

extension RoomHost {
    /// Has the slot go to whoever needs the room now.
    func passSlotOn() {
        guard slot != nil else { return }
        if let owner = slot?.owner, room.member(owner) != nil { return }
        let next = room.firstMember
        if next != nil { slot?.wasJoined = true }
        if next == nil, feedCount > 0 || room.hasTasks { return }
        slot?.owner = next?.id
        slot?.charge.move(to: next?.holder.rooms ?? loop.context.pots.rooms)
    }
}

/// Rooms that are open and that nobody needs, by how long.
struct IdleRooms {
    private var line = Fifo<(handle: RoomHandle, number: UInt64)>()
    private var numbers: [RoomHandle: UInt64] = [:]
    private var lastNumber: UInt64 = 0

    mutating func add(_ host: RoomHost) {
        lastNumber += 1
        numbers[host.handle] = lastNumber
        line.append((host.handle, lastNumber))
        if line.count > 2 * numbers.count + IdleRooms.keptPlaces {
            for place in line.removeAll() where numbers[place.handle] == place.number {
                line.append(place)
            }
        }
    }

    mutating func remove(_ host: RoomHost) {
        numbers[host.handle] = nil
    }

    /// Takes out the room that nobody has needed for longest.
    mutating func popFirst() -> RoomHandle? {
        while let (handle, number) = line.popFirst() {
            if numbers[handle] == number {
                numbers[handle] = nil
                return handle
            }
        }
        return nil
    }

    private static let keptPlaces = 64
}

extension ServerLoop {
    /// Closes the room that nobody has needed for longest. The log has all that is in it, so no
    /// image is written.
    ///
    /// - Returns: `false` if there is none.
    func closeIdleRoom() -> Bool {
        while let handle = hosts.idle.popFirst() {
            guard let host = hosts[handle], host.isIdle else { continue }
            budget.spend(WorkCost.unload.steps())
            letGo(host)
            return true
        }
        return false
    }

    /// Has rooms closed that nobody needs, some at most, until that is enough.
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

    /// Has rooms closed that nobody needs while memory is short.
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
