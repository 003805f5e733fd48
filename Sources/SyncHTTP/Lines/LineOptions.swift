package import SyncBytes
package import SyncModel

/// Who a member is that speaks in lines, and what it gets of a room.
package struct LineOptions: Sendable {
    package var room: RoomName
    /// Proves what the client may do, if the server asks for that; else empty.
    package var token = ForeignText(bounded: "")
    /// The program's name and version, for logs.
    package var agent = ""
    /// The revision that the client has, and the history that it belongs to: instead of a snapshot
    /// it gets batches. One without the other has no effect.
    package var from: Revision?
    package var origin: RoomOrigin?
    /// Each revision comes as a batch of its own.
    package var everyRevision = false
    /// Only what views show, and presence.
    package var isViewOnly = false
    /// The member sees the others that want presence, and is seen by them.
    package var presence = false
    /// The authors of batches come before the batches.
    package var authors = false

    package init(room: RoomName) {
        self.room = room
    }
}
