import SyncBytes
import SyncIO

/// Takes every write at once, and keeps what the system does not take yet, without any bound.
final class QueueingStream: ByteStream, ByteStreamHandler {
    private let stream: any ByteStream
    private let loop: any EventLoop
    /// The server holds it as long as it is open.
    private weak var handler: (any ByteStreamHandler)?
    private var queue: [SharedBytes] = []

    init(_ stream: any ByteStream, _ loop: any EventLoop) {
        self.stream = stream
        self.loop = loop
    }

    var peer: String { stream.peer }
    var isWriting: Bool { false }

    var isReadingPaused: Bool {
        get { stream.isReadingPaused }
        set { stream.isReadingPaused = newValue }
    }

    func open(_ handler: any ByteStreamHandler) {
        self.handler = handler
        stream.open(self)
    }

    func write(_ parts: [SharedBytes]) {
        queue += parts
        flush()
        loop.atEndOfTurn { [weak self] in self?.handler?.streamDidDrain() }
    }

    private func flush() {
        guard !stream.isWriting, !queue.isEmpty else { return }
        let parts = queue
        queue = []
        stream.write(parts)
    }

    func close() { stream.close() }

    // MARK: From the stream

    func streamDidReceive(_ bytes: UnsafeRawBufferPointer) {
        handler?.streamDidReceive(bytes)
    }

    func streamDidDrain() { flush() }

    func streamDidClose(_ error: IOError?) {
        let handler = handler
        self.handler = nil
        handler?.streamDidClose(error)
    }
}
