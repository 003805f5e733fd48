package import SyncModel

/// Why the store could not do what was asked.
package enum StoreError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The disk is full. Try again when it has space.
    case diskFull
    /// The system failed to read or write.
    case io(String)
    /// The system allows no writing.
    case notWritable(String)
    /// The data on disk is not what was written; `room` is `nil` if it does not belong to one room.
    case corrupt(room: RoomName?, what: String)
    /// The store was written by a later version of collsync.
    case newerVersion(found: Int, supported: Int)
    /// The store was written by an earlier version of collsync, which this one does not read.
    case olderVersion(found: Int, supported: Int)
    /// A copy that is to be restored is damaged, or contradicts itself.
    case badCopy(String)
    /// A room cannot be restored, because there is one of its name.
    case roomExists(RoomName)
    /// Another process uses the store.
    case locked(String)
    /// The path cannot hold a store.
    case notAStore(String)
    /// There is no such room.
    case noSuchRoom(RoomName)
    /// The requested data is older than the kept log, which now begins with `firstSequence`.
    case compacted(room: RoomName, firstSequence: UInt64)
    /// The room was not read, because it has so many bytes: see ``StoreAdmission``. Without bytes,
    /// it was read, but takes more memory than it may.
    case tooLarge(room: RoomName, bytes: Int?)
    /// The call contradicts what is stored. This is a mistake of the caller; nothing was changed.
    case conflict(String)
    /// The store has been closed.
    case closed

    package var description: String {
        switch self {
        case .diskFull: "the disk is full; try again when there is room"
        case .io(let what): "the store could not be read or written: \(what)"
        case .notWritable(let what): "the store can't be written: \(what)"
        case .corrupt(let room?, let what): "room '\(room)' is damaged on disk: \(what)"
        case .corrupt(nil, let what): "the store is damaged on disk: \(what)"
        case .newerVersion(let found, let supported):
            "the store has version \(found), but this program knows versions up to \(supported);"
                + " use a newer collsync"
        case .olderVersion(let found, let supported):
            "the store has version \(found), but this program needs version \(supported);"
                + " export its rooms with the collsync that wrote it, and import them into a new store"
        case .badCopy(let what): "the copy can't be used: \(what)"
        case .roomExists(let room): "there is a room '\(room)' already"
        case .locked(let what): what
        case .notAStore(let what): what
        case .noSuchRoom(let room): "there is no room '\(room)'"
        case .compacted(let room, let first):
            "the history of room '\(room)' is kept from record \(first) on only"
        case .tooLarge(let room, let bytes?):
            "room '\(room)' is too large: it has \(bytes) bytes"
        case .tooLarge(let room, nil): "room '\(room)' takes too much memory"
        case .conflict(let what): what
        case .closed: "the store has been closed"
        }
    }
}
