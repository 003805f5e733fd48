import SyncBytes
import SyncIO
import SyncServer

/// Takes the place of TLS, and secures nothing.
struct UnsecuredSecurity: ServerSecurity {
    var handshakeMicroseconds = 1
    /// Makes the stream on that of a connection.
    let make: @Sendable (any ByteStream) -> UnsecuredStream

    func secure(_ stream: any ByteStream, on loop: any EventLoop) -> any SecuredStream {
        make(stream)
    }
}

/// A stream that says it is secured, and forwards everything. Subclasses change a part of it.
class UnsecuredStream: SecuredStream, ByteStreamHandler {
    private let below: any ByteStream
    private(set) var handler: (any ByteStreamHandler)?
    var whenHandshakeIsDue: (() -> Void)?
    let certificate: PeerCertificate? = nil
    let memoryBytes = 0

    init(_ below: any ByteStream) {
        self.below = below
    }

    func continueHandshake() {}
    func takeRecordCount() -> Int { 0 }

    var peer: String { below.peer }
    var isWriting: Bool { below.isWriting }
    var unsentBytes: Int { below.unsentBytes }
    var isReadingPaused: Bool {
        get { below.isReadingPaused }
        set { below.isReadingPaused = newValue }
    }

    func open(_ handler: any ByteStreamHandler) {
        self.handler = handler
        below.open(self)
    }

    func write(_ parts: [SharedBytes]) { below.write(parts) }
    func finishWriting() { below.finishWriting() }
    func close() { below.close() }

    // MARK: From the stream below

    func streamDidReceive(_ bytes: UnsafeRawBufferPointer) {
        handler?.streamDidReceive(bytes)
    }

    func streamDidDrain() { handler?.streamDidDrain() }

    func streamDidClose(_ error: IOError?) {
        whenHandshakeIsDue = nil
        let handler = handler
        self.handler = nil
        handler?.streamDidClose(error)
    }
}
