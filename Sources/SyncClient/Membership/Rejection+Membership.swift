package import SyncModel
import SyncWire

extension Rejection {
    /// It was made for another room of this name, or for changes that the room has lost.
    static let roomChanged = Rejection(
        code: .roomChanged,
        message: "it was made for another room of this name, or for changes that the room has lost;"
            + " look at the room as it is, and make it again if it still makes sense")
    /// It may be committed or not, and nobody knows which.
    static let forgotten = Rejection(
        code: .forgotten,
        message: "the room has forgotten the client, and another has its id: nobody knows whether"
            + " it was committed")
    /// No number follows, or its author's own is too great.
    package static let numberTooGreat = Rejection(
        code: .malformed,
        message: "a transaction's number is at most \(WireProtocol.greatestNumber); join as another"
            + " client")
}
