import SyncBytes
import SyncIO
import SyncWire

/// Does not tell the server that the other side has gone, and gives signs of life in its place: all that the
/// connection held goes on.
final class UndeadStream: ByteStream, ByteStreamHandler {
    private let stream: any ByteStream
    private let loop: any EventLoop
    /// The server holds it as long as it is open.
    private weak var handler: (any ByteStreamHandler)?
    private var isClosing = false
    private var isDead = false
    private var isWriteInFlight = false
    private let heartbeat = MessageEncoder().encode(ClientMessage.heartbeat(Heartbeat())).plain

    private static let heartbeatMilliseconds: UInt64 = 100

    init(_ stream: any ByteStream, _ loop: any EventLoop) {
        self.stream = stream
        self.loop = loop
    }

    var peer: String { stream.peer }
    var isWriting: Bool { isWriteInFlight }

    var isReadingPaused: Bool {
        get { stream.isReadingPaused }
        set { stream.isReadingPaused = newValue }
    }

    func open(_ handler: any ByteStreamHandler) {
        self.handler = handler
        stream.open(self)
    }

    func write(_ parts: [SharedBytes]) {
        isWriteInFlight = true
        if isDead { drainLater() } else { stream.write(parts) }
    }

    func close() {
        isClosing = true
        guard isDead else { return stream.close() }
        loop.atEndOfTurn { [self] in end(nil) }
    }

    private func drainLater() {
        loop.atEndOfTurn { [weak self] in self?.streamDidDrain() }
    }

    private func end(_ error: IOError?) {
        let handler = handler
        self.handler = nil
        handler?.streamDidClose(error)
    }

    private func live() {
        loop.schedule(afterMilliseconds: UndeadStream.heartbeatMilliseconds) { [self] in
            guard let handler else { return }
            heartbeat.withBytes { handler.streamDidReceive($0) }
            live()
        }
    }

    // MARK: From the stream

    func streamDidReceive(_ bytes: UnsafeRawBufferPointer) {
        handler?.streamDidReceive(bytes)
    }

    func streamDidDrain() {
        isWriteInFlight = false
        handler?.streamDidDrain()
    }

    func streamDidClose(_ error: IOError?) {
        guard !isClosing else { return end(error) }
        isDead = true
        if isWriteInFlight { drainLater() }
        live()
    }
}
