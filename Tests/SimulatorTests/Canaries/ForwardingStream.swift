import SyncBytes
import SyncIO

/// Forwards everything in both directions. Subclasses change a part of it.
class ForwardingStream: ByteStream, ByteStreamHandler {
    let stream: any ByteStream
    let loop: any EventLoop
    /// The server retains it while it is open.
    private(set) weak var handler: (any ByteStreamHandler)?

    init(_ stream: any ByteStream, _ loop: any EventLoop) {
        self.stream = stream
        self.loop = loop
    }

    var peer: String { stream.peer }
    var isWriting: Bool { stream.isWriting }
    var unsentBytes: Int { stream.unsentBytes }

    var isReadingPaused: Bool {
        get { stream.isReadingPaused }
        set { stream.isReadingPaused = newValue }
    }

    func open(_ handler: any ByteStreamHandler) {
        self.handler = handler
        stream.open(self)
    }

    func write(_ parts: [SharedBytes]) { stream.write(parts) }

    func finishWriting() {
        if !stream.isWriting { stream.finishWriting() }
    }

    func close() { stream.close() }

    /// Notifies the server that the connection is closed.
    final func end(_ error: IOError?) {
        let handler = handler
        self.handler = nil
        handler?.streamDidClose(error)
    }

    // MARK: From the stream

    func streamDidReceive(_ bytes: UnsafeRawBufferPointer) {
        handler?.streamDidReceive(bytes)
    }

    func streamDidDrain() { handler?.streamDidDrain() }

    func streamDidClose(_ error: IOError?) { end(error) }
}
