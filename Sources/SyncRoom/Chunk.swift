import SyncBytes
import SyncWire

/// A piece of what a room shows: immutable content, packed once, and its encodings, made once each. All who are sent
/// it share it.
///
/// It says nothing of whom it is for but the room. Its room is charged for it as long as it is there, with all of its
/// encodings; of what requests read they are charged for the whole span. A deflated one counts before it is made: it is
/// never larger than the plain one. It is used and let go of on its room's loop only.
package final class Chunk {
    private let frame: EncodedFrame
    private let charge: Charge?
    private var isDeflated: Bool

    init(_ frame: EncodedFrame, in accounts: RoomAccounts) {
        self.frame = frame
        isDeflated = accounts.inflatingCount > 0
        charge = accounts.charge(forChunkOf: frame.byteCount(deflated: isDeflated))
    }

    /// Makes one that others are charged for.
    init(_ frame: EncodedFrame) {
        self.frame = frame
        isDeflated = false
        charge = nil
    }

    /// - Parameter isDeflated: whether somebody may want the deflated encoding.
    func frame(deflated isDeflated: Bool) -> EncodedFrame {
        if isDeflated, !self.isDeflated {
            self.isDeflated = true
            charge?.change(to: frame.byteCount(deflated: true))
        }
        return frame
    }

    var plainByteCount: Int { frame.plain.count }

    /// What it takes.
    func byteCount(deflated isDeflated: Bool) -> Int { frame.byteCount(deflated: isDeflated) }
}
