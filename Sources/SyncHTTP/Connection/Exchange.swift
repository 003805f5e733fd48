import SyncBytes
import SyncHTTPCodec
import SyncWire

/// A request, from the end of its head to the end of its response.
///
/// It answers by its ``HTTPConnection``, at once or later. The connection reads no other request
/// before that.
protocol Exchange: AnyObject {
    /// A part of the request's body.
    func receive(_ body: [UInt8])
    /// The request is whole.
    func receiveEnd()
    /// What was written of a streamed body is taken. More may be written.
    func didWrite()
    /// The client is gone. The exchange must not use the connection any more.
    func cancel()
    /// The server goes down, or refuses to go on: the exchange ends soon.
    func end(_ error: ErrorMessage)

    /// Whether it takes no more of the body now. Then it has the connection read on later.
    var isFull: Bool { get }
    /// How many bytes of what it was sent it has not read yet.
    var untakenBytes: Int { get }
    /// The memory that it uses, in bytes.
    var memoryBytes: Int { get }
}

extension Exchange {
    var isFull: Bool { false }
    var untakenBytes: Int { 0 }
}

/// An answer that is whole.
struct Response: Sendable {
    var status: Int
    var fields = HTTPFields()
    var body: SharedBytes?
    /// The body compressed by gzip, if it was before. If not, a worker compresses it when a client
    /// takes that.
    var gzipBody: SharedBytes?
    /// The error in it, if it has to be counted. A session counts its own.
    var refusal: ErrorCode?

    init(_ status: Int, _ fields: HTTPFields = HTTPFields(), body: SharedBytes? = nil) {
        self.status = status
        self.fields = fields
        self.body = body
    }
}
