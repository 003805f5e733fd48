import SyncBytes
import SyncHTTPCodec
import SyncIO

/// The responses of a connection as bytes, in the order of their requests.
struct HTTPOutput {
    /// How the body of the current response is framed.
    private enum Body {
        /// The response has not begun, or is over.
        case none
        /// As it is: its length is known, or the end of the connection ends it.
        case plain
        case chunks
        /// A request for the head alone.
        case dropped
    }

    private var parts = GatheredParts()
    private var bytesInFlight = 0
    private var body = Body.none
    /// Whether the current request is for the head alone.
    private(set) var isHeadAlone = false
    private var is11 = true
    /// Whether the connection may be used after the current response.
    var isKeptAlive = true
    /// Whether the current request has its whole response.
    private(set) var isAtEnd = true
    /// Whether the response to the current request has not begun.
    private(set) var isUnanswered = false
    /// Whether the stream's output is ended.
    var isFinished = false

    var isEmpty: Bool { parts.isEmpty }
    var byteCount: Int { parts.byteCount }
    var memoryBytes: Int { parts.memoryBytes + bytesInFlight }

    /// Begins the response to a request; `nil` is one that can't be read.
    mutating func begin(_ request: RequestHead?) {
        isHeadAlone = request?.method == "HEAD"
        is11 = request?.is11 ?? true
        isKeptAlive = request?.isKeepAlive ?? false
        isAtEnd = false
        isUnanswered = true
        body = .none
    }

    /// Adds a head that no body follows, and that is no response.
    mutating func add(_ head: ResponseHead) {
        var writer = ByteWriter(capacity: 256)
        if head.write(to: &writer) { parts.append(copying: writer.bytes) }
    }

    /// Adds a whole response.
    mutating func add(_ response: Response) {
        var fields = response.fields
        let hasBody = response.status >= 200 && response.status != 204 && response.status != 304
        if hasBody { fields.add("Content-Length", "\(response.body?.count ?? 0)") }
        addConnection(to: &fields)
        add(ResponseHead(response.status, fields))
        if hasBody, !isHeadAlone, let body = response.body, body.count > 0 { parts.append(body) }
        isAtEnd = true
        isUnanswered = false
    }

    /// Begins a response whose body's length is not known.
    mutating func begin(_ status: Int, _ fields: HTTPFields) {
        var fields = fields
        if is11 {
            fields.add("Transfer-Encoding", "chunked")
        } else {
            isKeptAlive = false
        }
        addConnection(to: &fields)
        add(ResponseHead(status, fields))
        isUnanswered = false
        body = isHeadAlone ? .dropped : is11 ? .chunks : .plain
    }

    private func addConnection(to fields: inout HTTPFields) {
        if !isKeptAlive {
            fields.add("Connection", "close")
        } else if !is11 {
            fields.add("Connection", "keep-alive")
        }
    }

    /// Adds a part of the body.
    mutating func addBody(_ data: [SharedBytes]) {
        let count = data.reduce(0) { $0 + $1.count }
        guard count > 0 else { return }
        switch body {
        case .none, .dropped: break
        case .plain: for part in data { parts.append(part) }
        case .chunks:
            var writer = ByteWriter(capacity: 16)
            Chunk.writeHeader(ofDataWith: count, to: &writer)
            parts.append(copying: writer.bytes)
            for part in data { parts.append(part) }
            parts.append(HTTPOutput.chunkEnd)
        }
    }

    /// Ends the current response.
    mutating func endBody() {
        if case .chunks = body { parts.append(HTTPOutput.lastChunk) }
        body = .none
        isAtEnd = true
    }

    private static let chunkEnd = bytes { Chunk.writeEnd(to: &$0) }
    private static let lastChunk = bytes { Chunk.writeLast(to: &$0) }

    private static func bytes(_ write: (inout ByteWriter) -> Void) -> SharedBytes {
        var writer = ByteWriter(capacity: 16)
        write(&writer)
        return SharedBytes(copying: writer.bytes)
    }

    /// Writes what is queued, unless a write is in flight.
    ///
    /// - Returns: how many bytes; `nil` if it writes nothing.
    @discardableResult
    mutating func flush(to stream: any ByteStream) -> Int? {
        guard !parts.isEmpty, !stream.isWriting else { return nil }
        bytesInFlight = byteCount
        stream.write(parts.take())
        return bytesInFlight
    }

    /// What is queued, as one piece.
    mutating func takeAll() -> SharedBytes {
        SharedBytes(parts.take().flatMap(\.array))
    }

    mutating func didWrite() {
        bytesInFlight = 0
    }
}
