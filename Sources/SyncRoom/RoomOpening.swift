package import SyncWire

/// The random numbers that the host draws for each opening of a room.
///
/// An opening, and not a process, gets an epoch of its own: while a room is closed, its store may be
/// put back to a copy under a running process.
package struct RoomOpening: Sendable {
    /// The room's id, if the room is new.
    package var room: RoomID
    package var epoch: EpochID

    package init(room: RoomID, epoch: EpochID) {
        self.room = room
        self.epoch = epoch
    }

    /// Draws the numbers from a source of randomness.
    package init(random: () -> UInt64) {
        room = RoomID(high: random(), low: random())
        epoch = EpochID(value: random())
    }
}

/// The epoch that a record of the log begins: its id, and the room's id in the first record of all.
struct EpochEntry {
    var room: RoomID?
    var epoch: EpochID

    init(room: RoomID?, epoch: EpochID) {
        self.room = room
        self.epoch = epoch
    }
}
