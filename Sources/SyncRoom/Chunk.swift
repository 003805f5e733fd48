import SyncBytes
import SyncWire

/// A piece of what a room shows: immutable content, packed once, and its encodings, made once each. All who are sent
/// it share it.
///
/// It says nothing of whom it is for but the room. Its room is charged for it as long as it is there, with all of its
/// encodings; of what requests read they are charged for the whole span. One counts before it is made, as much as it
/// may take. It is used and let go of on its room's loop only.
package final class Chunk {
    private let frame: EncodedFrame
    private let charge: Charge?
    /// The encodings that it is charged for.
    private var encodings: [FrameEncoding]

    init(_ frame: EncodedFrame, in accounts: RoomAccounts) {
        self.frame = frame
        encodings = accounts.encodings
        charge = accounts.charge(forChunkOf: frame.byteCount(in: encodings))
    }

    /// Makes one that others are charged for.
    init(_ frame: EncodedFrame) {
        self.frame = frame
        encodings = []
        charge = nil
    }

    /// - Parameter encodings: those that somebody may want.
    func frame(in encodings: [FrameEncoding]) -> EncodedFrame {
        if let charge, encodings != self.encodings {
            self.encodings = encodings
            charge.change(to: frame.byteCount(in: encodings))
        }
        return frame
    }

    var plainByteCount: Int { frame.plain.count }

    /// What it takes.
    func byteCount(in encodings: [FrameEncoding]) -> Int { frame.byteCount(in: encodings) }
}
