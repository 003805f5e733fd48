import SyncIO
import SyncModel
import SyncWire

/// A room that a session stays in between two requests.
///
/// A transaction is submitted by a member. Programs send one after the other on a connection that
/// is kept, so joining and leaving for each would take longer than the rest. The session leaves
/// when its connection asks for something else, or for nothing in a while.
struct RoomStay {
    let room: RoomName
    let handle: RoomHandle
    /// Whether a transaction was sent since the timer began.
    var wasUsed = false
    var timer: (any Timer)?

    /// The session leaves if the room was not used for so long, or for twice as long at most.
    static let milliseconds: UInt64 = 250
    /// About how many bytes it uses, with its timer.
    static let memoryBytes = 256
}
