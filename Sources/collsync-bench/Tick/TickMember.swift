import SyncBytes
import SyncIO
import SyncWire

/// A member of a room in a simulated network, with as little work as possible: it sends prepared
/// bytes, and only counts what it receives.
final class TickMember: ByteStreamHandler, @unchecked Sendable {
    // Sendable: a simulation runs on one thread.

    private let name: String
    private var stream: (any ByteStream)?
    private var frames = FrameDecoder()
    /// The room, once joined.
    private(set) var room: RoomHandle?
    private(set) var receivedBytes = 0

    init(named name: String) {
        self.name = name
    }

    func connect(to address: SocketAddress, on loop: any EventLoop) {
        loop.connect(to: address) { [self] result in
            guard case .success(let stream) = result else { return }
            self.stream = stream
            stream.open(self)
        }
    }

    func send(_ message: ClientMessage, with encoder: MessageEncoder) {
        stream?.write([encoder.encode(message).plain])
    }

    func send(_ bytes: SharedBytes) {
        stream?.write([bytes])
    }

    func streamDidReceive(_ bytes: UnsafeRawBufferPointer) {
        receivedBytes += bytes.count
        if room == nil { lookForJoined(bytes) }
    }

    private func lookForJoined(_ bytes: UnsafeRawBufferPointer) {
        let decoder = MessageDecoder()
        var rest = bytes
        while room == nil, let frame = try? frames.next(&rest) {
            if case .joined(let message)? = try? decoder.serverMessage(frame) {
                room = message.handle
            }
        }
    }

    func streamDidDrain() {}

    func streamDidClose(_ error: IOError?) {
        stream = nil
    }
}
