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
