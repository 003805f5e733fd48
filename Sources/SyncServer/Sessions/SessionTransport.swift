import SyncIO
import SyncWire

/// What a session speaks through.
struct SessionTransport {
    let stream: any ByteStream
    /// The stream, if it is one on another.
    private let layered: (any LayeredStream)?
    /// The secured stream of the connection, if it is secured.
    let secured: (any SecuredStream)?
    /// The encoding of what it is sent, if the hello does not decide that.
    let encoding: FrameEncoding?
    /// The stream of a gateway's connection that the session is within, if it is. The connection
    /// counts what the stream uses, and charges all that its user sends, but transactions.
    let connection: (any ByteStream)?
    /// Whether it is in rooms for single requests only, so the trail has its first stay in each.
    let isVisitor: Bool
    /// How its client is connected; `nil` if it is within a connection, which counts itself.
    let kind: ConnectionKind?

    init(
        _ stream: any ByteStream, secured: (any SecuredStream)?, encoding: FrameEncoding? = nil,
        within connection: (any ByteStream)? = nil, isVisitor: Bool = false,
        kind: ConnectionKind = .tcp
    ) {
        self.stream = stream
        layered = stream as? any LayeredStream
        self.secured = secured
        self.encoding = encoding
        self.connection = connection
        self.isVisitor = isVisitor
        self.kind = connection == nil ? kind : nil
    }

    var isWithinConnection: Bool { connection != nil }

    /// The memory of a stream on another, if nobody else counts it.
    var memoryBytes: Int { isWithinConnection ? 0 : layered?.memoryBytes ?? 0 }

    /// How much that has worked for its input since the last call, in records, if nobody else
    /// counts it.
    func takeRecordCount() -> Int { isWithinConnection ? 0 : layered?.takeRecordCount() ?? 0 }
}
