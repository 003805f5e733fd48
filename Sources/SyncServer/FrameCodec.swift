import SyncBytes
import SyncWire

/// What serves all connections and rooms of a loop to read frames and to make them. Its memory serves again and again.
final class FrameCodec {
    let encoder = MessageEncoder()
    let decoder: MessageDecoder
    private var encoders: [FrameEncoding: any FrameEncoder] = [:]
    /// The frame that says that the server is there.
    let heartbeat: SharedBytes
    // Not checked for exclusive access, as it costs for each answer: no access spans another.
    @exclusivity(unchecked) var writer = ByteWriter(capacity: 4096)

    init(_ limits: WireLimits) {
        decoder = MessageDecoder(limits: limits)
        heartbeat = encoder.encode(ServerMessage.heartbeat(Heartbeat())).plain
    }

    /// What writes frames in an encoding; `nil` for frames as they are.
    func encoder(in encoding: FrameEncoding) -> (any FrameEncoder)? {
        if encoding == .plain { return nil }
        if let known = encoders[encoding] { return known }
        let encoder = encoding.makeEncoder()
        encoders[encoding] = encoder
        return encoder
    }
}
