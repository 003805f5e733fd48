import NIOHTTP1

/// Reads the requests of one connection, one at a time.
///
/// The caller gives it received bytes and asks for one event after the other. llhttp decodes them,
/// in NIO's decoder; this class cuts the input so that the decoder never gets bytes beyond the
/// request, and refuses what llhttp reads although another reader might read it differently.
///
/// 1. The events are the same however the input is cut. They end with an error or with the input.
/// 2. The next request is not looked at before ``next()`` is called behind the end of the one
///    before. Its bytes wait, as they came, in ``unreadBytes``: a caller that answers a request
///    should stop reading from the connection meanwhile.
/// 3. Between requests there is no decoder, and no memory but that of unread bytes.
/// 4. What comes behind the last request of a connection is dropped.
/// 5. A body is given whatever the method is. The fields of a trailer are checked and dropped.
///
/// NIO wants a reader to be used on one thread from the first byte of a request to its end, and
/// released there.
///
/// # Performance
/// Half of the time of a small request, some ten microseconds, makes its decoder. For that, idle
/// connections have none, and no request finds the state that another has left.
package final class RequestReader {
    package enum Event: Sendable {
        case head(RequestHead)
        /// Some bytes of the body, at least one.
        case body([UInt8])
        case end
    }

    private enum Phase {
        case head
        /// So many bytes of the body are missing.
        case body(Int)
        case chunks(ChunkedBody)
        /// There are no requests behind the last one.
        case over
    }

    private let limits: HTTPLimits
    private var unread = UnreadBytes()
    private var phase = Phase.head
    private var decoder: MessageDecoder<HTTPRequestHead>?
    /// How much of the unread bytes was searched for the end of the head.
    private var searchedBytes = 0
    private var emptyLine = EmptyLine()
    /// Whether an empty line came before the request: one is allowed (RFC 9112, 2.2).
    private var hasSkippedLine = false
    /// Whether the client closes the connection behind the request, or asks for that.
    private var isLast = false
    /// What a slice of input has given: three events at most.
    private var events: [Event] = []
    private var error: HTTPError?

    package init(limits: HTTPLimits = HTTPLimits()) {
        self.limits = limits
    }

    /// How many received bytes were not read yet.
    package var unreadBytes: Int { unread.count }

    /// Whether ``next()`` may have something to say without more bytes.
    package var hasMore: Bool { unread.count > 0 || !events.isEmpty || error != nil }

    /// Whether no request has begun, so that the connection may end.
    package var isBetweenRequests: Bool { decoder == nil && !hasMore }

    /// How much of the request's body is still to be decoded; `nil` if only its end will tell.
    package var missingBytes: Int? {
        switch phase {
        case .head, .over: 0
        case .body(let count): count
        case .chunks: nil
        }
    }

    /// The memory that it uses, in bytes.
    package var memoryBytes: Int {
        RequestReader.ownBytes + unread.memoryBytes
            + (decoder == nil ? 0 : RequestReader.decoderBytes)
            + events.reduce(0) { $0 + $1.memoryBytes }
    }

    private static let ownBytes = 256
    /// NIO's channel and decoder, without what they make of a head.
    private static let decoderBytes = 7 << 10

    /// Adds received bytes behind the unread ones.
    package func receive(_ bytes: UnsafeRawBufferPointer) {
        if case .over = phase { return }
        if error == nil { unread.append(bytes) }
    }

    /// The next event, or `nil` if it needs more bytes.
    ///
    /// - Throws: why the request can't be read, again in each call.
    package func next() throws(HTTPError) -> Event? {
        repeat {
            if !events.isEmpty { return events.removeFirst() }
            if let error { throw error }
        } while readSlice()
        return nil
    }

    /// Gives back what was not read, for the protocol that follows an upgrade.
    package func takeRest() -> [UInt8] {
        decoder = nil
        return unread.takeAll()
    }

    // MARK: Slices

    /// Decodes what there is, up to the request's end at most.
    ///
    /// - Returns: whether anything has happened.
    private func readSlice() -> Bool {
        do throws(HTTPError) {
            switch phase {
            case .head: return try readHead()
            case .body(let count): return try readBody(count)
            case .chunks(let body): return try readChunks(body)
            case .over: return false
            }
        } catch {
            fail(error)
            return true
        }
    }

    private func fail(_ error: HTTPError) {
        self.error = error
        decoder = nil
        unread = UnreadBytes()
    }

    private func readHead() throws(HTTPError) -> Bool {
        guard try findStart() else { return false }
        let found = unread.end(of: &emptyLine, from: searchedBytes, limit: limits.headBytes)
        guard !emptyLine.hasBareLF else { throw .malformed("A line ends with LF alone.") }
        guard let count = found else {
            searchedBytes = unread.count
            if searchedBytes < limits.headBytes { return false }
            throw hasLine ? .headTooLong : .targetTooLong
        }
        (searchedBytes, emptyLine, hasSkippedLine) = (0, EmptyLine(), false)
        let decoder = MessageDecoder(ofRequestWith: limits)
        let (line, parts) = unread.take(count) {
            (String(decoding: $0.prefix { $0 != 0x0A }, as: UTF8.self), decoder.decode($0))
        }
        if let error = parts.error { throw HTTPError(inHead: error, line: line) }
        // llhttp stops behind the preface of HTTP/2.
        guard let decoded = parts.head else { throw .unsupportedVersion }
        let head = try RequestHead(checking: decoded, line: line, limits)
        events.append(.head(head))
        self.decoder = decoder
        switch try head.body() {
        case .none: break
        case .bytes(let count): phase = .body(count)
        case .chunks: phase = .chunks(ChunkedBody(limits))
        }
        isLast = !head.isKeepAlive
        if parts.isAtEnd { end() }
        return true
    }

    /// Skips an empty line before a request, and checks that there is none behind it.
    ///
    /// - Returns: whether the request has begun.
    private func findStart() throws(HTTPError) -> Bool {
        guard searchedBytes == 0, unread.count > 0 else { return unread.count > 0 }
        if unread[0] == 0x0D, !hasSkippedLine {
            guard unread.count > 1 else { return false }
            guard unread[1] == 0x0A else { throw .malformed("A line ends with CR alone.") }
            hasSkippedLine = true
            unread.drop(2)
            return try findStart()
        }
        let isLetter = (0x41...0x5A).contains(unread[0] & ~0x20)
        guard isLetter else { throw .malformed("The request does not begin with a method.") }
        return true
    }

    /// Whether the request line ends within the bytes of a head.
    private var hasLine: Bool {
        (0..<min(unread.count, limits.headBytes)).contains { unread[$0] == 0x0A }
    }

    private func readBody(_ missing: Int) throws(HTTPError) -> Bool {
        let count = min(missing, unread.count, limits.sliceBytes)
        guard count > 0 else { return false }
        phase = .body(missing - count)
        _ = try decodeBody(count)
        return true
    }

    private func readChunks(_ body: ChunkedBody) throws(HTTPError) -> Bool {
        guard unread.count > 0 else { return false }
        var body = body
        let count = body.takeSlice(of: unread)
        let given = try decodeBody(count)
        guard case .chunks = phase else { return true }
        try body.add(given)
        phase = .chunks(body)
        return true
    }

    /// - Returns: how many bytes of the body this has given.
    private func decodeBody(_ count: Int) throws(HTTPError) -> Int {
        guard let decoder else { return 0 }
        let parts = unread.take(count, decoder.decode)
        if !parts.body.isEmpty { events.append(.body(parts.body)) }
        if let error = parts.error { throw HTTPError(inBody: error) }
        if parts.isAtEnd { end() }
        return parts.body.count
    }

    private func end() {
        events.append(.end)
        decoder = nil
        phase = isLast ? .over : .head
        if isLast { unread = UnreadBytes() }
    }
}

extension RequestReader.Event {
    fileprivate var memoryBytes: Int {
        switch self {
        case .head(let head): head.memoryBytes
        case .body(let bytes): bytes.count
        case .end: 0
        }
    }
}

extension HTTPError {
    /// - Parameter line: the request line.
    fileprivate init(inHead error: any Error, line: String) {
        let isKnownVersion = [" HTTP/1.1", " HTTP/1.0"].contains {
            Array(line.utf8).contains(Array($0.utf8))
        }
        switch error as? HTTPParserError {
        case .headerOverflow: self = .headTooLong
        case .invalidMethod: self = .notImplemented("The method of the request is not known.")
        case .invalidVersion where !isKnownVersion: self = .unsupportedVersion
        case .unknown, nil: self = .malformed("The head of the request breaks the rules of HTTP.")
        case let error?:
            self = .malformed("The head of the request breaks the rules of HTTP: \(error).")
        }
    }

    /// Whether a trailer has too many fields or a bad one first depends on where it is cut, so that
    /// all mistakes are the same one.
    fileprivate init(inBody error: any Error) {
        self = .malformed("The body of the request breaks the rules of HTTP.")
    }
}
