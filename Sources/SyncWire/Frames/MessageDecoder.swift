import SyncBytes

/// Turns frames, which may be anything, into messages. One serves a loop.
package final class MessageDecoder {
    private let limits: WireLimits
    private let inflater = Inflater()
    /// How many bytes frames have inflated to since that was asked for: what inflating has cost.
    @exclusivity(unchecked) private var inflatedBytes = 0
    // Not checked for exclusive access, as it costs for each transaction: no access spans another.
    @exclusivity(unchecked) private var spare = ByteWriter()

    package init(limits: WireLimits = WireLimits()) {
        self.limits = limits
    }

    /// How many bytes frames have inflated to since the last call.
    @inline(__always)
    package func takeInflatedBytes() -> Int {
        if inflatedBytes == 0 { return 0 }
        defer { inflatedBytes = 0 }
        return inflatedBytes
    }

    /// Reads what a client says in a frame: a transaction, or anything else.
    ///
    /// They are not of one type, since transactions are many, and a value that may hold any message is dear
    /// to pass on.
    ///
    /// - Parameters:
    ///   - message: what was said, where it is no transaction.
    ///   - limit: what a deflated frame may inflate to, if less than usual.
    /// - Returns: the transaction where it lies; valid as long as the frame is lent, and until the next one
    ///   is read.
    package func readClientFrame(
        _ frame: UnsafeRawBufferPointer, _ message: inout ClientMessage?,
        inflatingTo limit: Int = .max
    ) throws(WireError) -> SubmitView? {
        let (number, bytes) = try body(of: frame, atMost: min(limit, limits.clientFrameBytes))
        if number == FrameNumber.submit { return try submit(bytes) }
        message = try clientMessage(number, bytes)
        return nil
    }

    /// A copy of what a client says in a frame.
    package func clientMessage(
        _ frame: UnsafeRawBufferPointer
    ) throws(WireError) -> ClientMessage {
        let (number, bytes) = try body(of: frame, atMost: limits.clientFrameBytes)
        if number == FrameNumber.submit { return .submit(Submit(try submit(bytes))) }
        return try clientMessage(number, bytes)
    }

    private func submit(_ bytes: UnsafeRawBufferPointer) throws(WireError) -> SubmitView {
        try SubmitView(parsing: bytes, limits: limits, spare: &spare)
    }

    private func clientMessage(
        _ number: Int, _ bytes: UnsafeRawBufferPointer
    ) throws(WireError) -> ClientMessage {
        guard let message = try ClientMessage(number, bytes, limits) else {
            throw .unknownMessage(number)
        }
        return message
    }

    /// What a server says in a frame.
    package func serverMessage(
        _ frame: UnsafeRawBufferPointer
    ) throws(WireError) -> ServerMessage {
        var request: RequestID?
        let (number, bytes) = try body(of: frame, atMost: limits.frameBytes, &request)
        guard var message = try ServerMessage(number, bytes) else { throw .unknownMessage(number) }
        if let request { try message.readdress(to: request) }
        return message
    }

    /// The message of a frame that answers no request.
    private func body(
        of frame: UnsafeRawBufferPointer, atMost limit: Int
    ) throws(WireError) -> (number: Int, bytes: UnsafeRawBufferPointer) {
        var request: RequestID?
        let body = try body(of: frame, atMost: limit, &request)
        if request != nil { throw .notOneMessage }
        return body
    }

    /// The message of a frame, after inflating.
    ///
    /// - Parameters:
    ///   - limit: what a deflated frame may inflate to.
    ///   - request: the request that it answers, where the frame says so itself.
    private func body(
        of frame: UnsafeRawBufferPointer, atMost limit: Int, _ request: inout RequestID?
    ) throws(WireError) -> (number: Int, bytes: UnsafeRawBufferPointer) {
        let outer = try MessageDecoder.onlyMessage(of: frame, &request)
        guard outer.number == FrameNumber.deflated else { return outer }
        let inflated = try inflater.inflate(outer.bytes, atMost: limit)
        inflatedBytes &+= inflated.count
        var innerRequest: RequestID?
        let inner = try MessageDecoder.onlyMessage(of: inflated, &innerRequest)
        if innerRequest != nil { throw .notOneMessage }
        guard inner.number != FrameNumber.deflated else {
            throw .broken(.badFrame, "a deflated frame holds another")
        }
        return inner
    }

    private static func onlyMessage(
        of frame: UnsafeRawBufferPointer, _ request: inout RequestID?
    ) throws(WireError) -> (number: Int, bytes: UnsafeRawBufferPointer) {
        do throws(FieldError) {
            var reader = FieldReader(frame)
            guard var number = try reader.next() else { throw .malformed }
            if number == FrameNumber.request {
                request = try reader.uint32()
                guard let next = try reader.next() else { throw .malformed }
                number = next
            }
            let bytes = try reader.body()
            guard try reader.next() == nil else { throw .malformed }
            return (number, bytes)
        } catch {
            throw .notOneMessage
        }
    }
}

extension WireError {
    static let notOneMessage = WireError.broken(
        .badMessage, "a frame holds exactly one message")
}
