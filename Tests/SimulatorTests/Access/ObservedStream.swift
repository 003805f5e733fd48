import SyncBytes
import SyncIO
import SyncWire

/// Shows an observer the messages of a connection of the server.
class ObservedStream: ForwardingStream {
    private let connection: ObservedConnection
    private var read = FrameDecoder()
    private var written = FrameDecoder()
    private let decoder = MessageDecoder()

    init(_ stream: any ByteStream, _ loop: any EventLoop, _ connection: ObservedConnection) {
        self.connection = connection
        super.init(stream, loop)
    }

    override func write(_ parts: [SharedBytes]) {
        for part in parts {
            part.withBytes { bytes in
                var rest = bytes
                while let frame = try? written.next(&rest) {
                    guard let message = try? decoder.serverMessage(frame) else { continue }
                    connection.willWrite(message)
                }
            }
        }
        connection.didWrite()
        stream.write(parts)
    }

    override func close() {
        connection.willClose(isWriting: stream.isWriting)
        stream.close()
    }

    override func streamDidClose(_ error: IOError?) {
        connection.isOver = true
        super.streamDidClose(error)
    }

    override func streamDidReceive(_ bytes: UnsafeRawBufferPointer) {
        var rest = bytes
        while let frame = try? read.next(&rest) {
            var join: RequestID?
            guard let message = try? decoder.clientMessage(frame, naming: &join) else { continue }
            connection.didRead(message, naming: join)
        }
        super.streamDidReceive(bytes)
    }
}

/// The same for a secured connection: it sees what is encrypted below it.
private final class ObservedSecuredStream: ObservedStream, SecuredStream {
    private let secured: any SecuredStream

    init(_ stream: any SecuredStream, _ loop: any EventLoop, _ connection: ObservedConnection) {
        secured = stream
        super.init(stream, loop, connection)
    }

    var whenHandshakeIsDue: (() -> Void)? {
        get { secured.whenHandshakeIsDue }
        set { secured.whenHandshakeIsDue = newValue }
    }

    func continueHandshake() { secured.continueHandshake() }

    var certificate: PeerCertificate? { secured.certificate }

    func takeRecordCount() -> Int { secured.takeRecordCount() }

    var memoryBytes: Int { secured.memoryBytes }
}

/// Security whose connections an observer sees.
struct ObservedSecurity: ServerSecurity {
    private let security: any ServerSecurity
    private let observe: @Sendable () -> ObservedConnection

    init(_ security: any ServerSecurity, _ observe: @escaping @Sendable () -> ObservedConnection) {
        self.security = security
        self.observe = observe
    }

    func secure(_ stream: any ByteStream, on loop: any EventLoop) -> any SecuredStream {
        ObservedSecuredStream(security.secure(stream, on: loop), loop, observe())
    }

    var handshakeMicroseconds: Int { security.handshakeMicroseconds }
}
