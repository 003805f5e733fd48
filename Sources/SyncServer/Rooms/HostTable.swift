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
    /// Rooms that nobody needs.
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
