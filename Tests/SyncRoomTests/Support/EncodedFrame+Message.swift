import SyncBytes
import SyncWire
import Testing

extension EncodedFrame {
    /// Decodes the frame's message.
    func message() throws -> ServerMessage {
        var frames = FrameDecoder()
        var bytes = UnsafeRawBufferPointer(plain.bytes)
        return try MessageDecoder().serverMessage(try #require(try frames.next(&bytes)))
    }
}
