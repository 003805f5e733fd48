import SyncIO
import SyncWire

/// What a session speaks through.
struct SessionTransport {
    let stream: any ByteStream
    /// The secured stream of the connection, if it is secured.
    let secured: (any SecuredStream)?
    /// The encoding of what it is sent, if the hello does not decide that.
    let encoding: FrameEncoding?
    /// Whether it is a connection's of a gateway, which counts what the stream uses.
    let isWithinConnection: Bool

    init(
        _ stream: any ByteStream, secured: (any SecuredStream)?, encoding: FrameEncoding? = nil,
        isWithinConnection: Bool = false
    ) {
        self.stream = stream
        self.secured = secured
        self.encoding = encoding
        self.isWithinConnection = isWithinConnection
    }

    /// The memory of the secured stream, if nobody else counts it.
    var memoryBytes: Int { isWithinConnection ? 0 : secured?.memoryBytes ?? 0 }

    /// How many records were decrypted since the last call, if nobody else counts them.
    func takeRecordCount() -> Int { isWithinConnection ? 0 : secured?.takeRecordCount() ?? 0 }
}
