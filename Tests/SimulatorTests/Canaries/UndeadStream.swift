import SyncBytes
import SyncIO
import SyncWire

/// Hides from the server that the other side has gone, and sends heartbeats instead. So everything
/// of the connection stays.
final class UndeadStream: ForwardingStream {
    private var isClosing = false
    private var isDead = false
    private var isWriteInFlight = false
    private let heartbeat = MessageEncoder().encode(ClientMessage.heartbeat(Heartbeat())).plain

    private static let heartbeatMilliseconds: UInt64 = 100

    override var isWriting: Bool { isWriteInFlight }

    override func write(_ parts: [SharedBytes]) {
        isWriteInFlight = true
        if isDead { drainLater() } else { stream.write(parts) }
    }

    override func close() {
        isClosing = true
        guard isDead else { return stream.close() }
        loop.atEndOfTurn { [self] in end(nil) }
    }

    private func drainLater() {
        loop.atEndOfTurn { [weak self] in self?.streamDidDrain() }
    }

    private func live() {
        loop.schedule(afterMilliseconds: UndeadStream.heartbeatMilliseconds) { [self] in
            guard let handler else { return }
            heartbeat.withBytes { handler.streamDidReceive($0) }
            live()
        }
    }

    // MARK: From the stream

    override func streamDidDrain() {
        isWriteInFlight = false
        handler?.streamDidDrain()
    }

    override func streamDidClose(_ error: IOError?) {
        guard !isClosing else { return end(error) }
        isDead = true
        if isWriteInFlight { drainLater() }
        live()
    }
}
