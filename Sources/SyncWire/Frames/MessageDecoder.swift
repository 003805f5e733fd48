import SyncBytes

/// Turns frames, which may be anything, into messages. One serves a loop.
package final class MessageDecoder {
    private let limits: WireLimits
    private let inflater = Inflater()
    @exclusivity(unchecked) private var work = DecodingWork()
    // Exclusivity checks are off here: they take time in each transaction, and no two accesses
    // overlap.
    @exclusivity(unchecked) private var spare = ByteWriter()

    package init(limits: WireLimits = WireLimits()) {
        self.limits = limits
    }

    /// The work of reading frames since the last call; `nil` if it is no more
    /// than their lengths say.
    @inline(__always)
    package func takeWork() -> DecodingWork? {
        if !work.isAny { return nil }
        defer { work = DecodingWork() }
        return work
    }

    /// Reads a client's message in a frame: a transaction, or any other.
    ///
    /// The two have separate types, since transactions are frequent, and passing on a value of any
    /// message's type is slow.
    ///
    /// - Parameters:
    ///   - message: set to the message, if it is no transaction.
    ///   - join: set to the request of the join by which the frame names the room, if it does. It
    ///     is set even if the message can't be read.
    ///   - isGreeting: whether the client has not said hello. A message that is not allowed then,
    ///     or not any more, is refused by its number, and not decoded.
    /// - Returns: the transaction in place; valid as long as the frame's bytes, and until the next
    ///   frame is read.
    package func readClientFrame(
        _ frame: UnsafeRawBufferPointer, _ message: inout ClientMessage?,
        naming join: inout RequestID?, isGreeting: Bool = false
    ) throws(WireError) -> SubmitView? {
        let (number, bytes) = try clientBody(
            of: frame, naming: &join,
            atMost: isGreeting
                ? min(MessageDecoder.helloBytes, limits.clientFrameBytes) : limits.clientFrameBytes)
        if number == FrameNumber.submit, !isGreeting { return try submit(bytes) }
        if isGreeting != (number == FrameNumber.hello) {
            throw isGreeting ? .noHello : .broken(.badMessage, "a hello comes once")
        }
        message = try clientMessage(number, bytes)
        return nil
    }

    /// The most bytes of a hello, also of what a deflated one inflates to.
    package static let helloBytes = 64 << 10

    /// A copy of a client's message in a frame, however the frame names the room.
    package func clientMessage(
        _ frame: UnsafeRawBufferPointer
    ) throws(WireError) -> ClientMessage {
        var join: RequestID?
        return try clientMessage(frame, naming: &join)
    }

    /// A copy of a client's message in a frame.
    package func clientMessage(
        _ frame: UnsafeRawBufferPointer, naming join: inout RequestID?
    ) throws(WireError) -> ClientMessage {
        let (number, bytes) = try clientBody(
            of: frame, naming: &join, atMost: limits.clientFrameBytes)
        if number == FrameNumber.submit { return .submit(Submit(try submit(bytes))) }
        return try clientMessage(number, bytes)
    }

    private func submit(_ bytes: UnsafeRawBufferPointer) throws(WireError) -> SubmitView {
        try SubmitView(parsing: bytes, limits: limits, spare: &spare, work: &work)
    }

    private func clientMessage(
        _ number: Int, _ bytes: UnsafeRawBufferPointer
    ) throws(WireError) -> ClientMessage {
        guard let message = try ClientMessage(number, bytes, limits) else {
            throw .unknownMessage(number)
        }
        return message
    }

    /// A server's message in a frame.
    package func serverMessage(
        _ frame: UnsafeRawBufferPointer
    ) throws(WireError) -> ServerMessage {
        var address: FrameAddress?
        let (number, bytes) = try body(of: frame, atMost: limits.frameBytes, &address)
        guard var message = try ServerMessage(number, bytes) else { throw .unknownMessage(number) }
        try message.readdress(to: address)
        return message
    }

    /// The message of a frame that has nothing but an `Ack`, as most frames for a single member
    /// have; `nil` if it is another frame, or can't be read. To read it as a ``ServerMessage``,
    /// which is large, takes longer.
    package static func plainAck(_ frame: UnsafeRawBufferPointer) -> Ack? {
        var reader = ByteReader(frame)
        guard let body = reader.take(FrameNumber.ack), reader.isAtEnd else { return nil }
        return try? Ack(parsing: body)
    }

    /// A server's message in a frame that is not deflated.
    package static func plainServerMessage(
        _ frame: UnsafeRawBufferPointer
    ) throws(WireError) -> ServerMessage {
        var address: FrameAddress?
        let (number, bytes) = try onlyMessage(of: frame, &address)
        guard var message = try ServerMessage(number, bytes) else { throw .unknownMessage(number) }
        try message.readdress(to: address)
        return message
    }

    /// The message of a client's frame.
    ///
    /// - Parameter join: set to the request of the join by which the frame names the room.
    private func clientBody(
        of frame: UnsafeRawBufferPointer, naming join: inout RequestID?, atMost limit: Int
    ) throws(WireError) -> (number: Int, bytes: UnsafeRawBufferPointer) {
        join = nil
        var address: FrameAddress?
        let outer = try MessageDecoder.onlyMessage(of: frame, &address)
        join = try MessageDecoder.join(of: address)
        var innerAddress: FrameAddress?
        let message = try inflated(outer, atMost: limit, &innerAddress)
        if let inner = try MessageDecoder.join(of: innerAddress) { join = inner }
        return message
    }

    /// The join by which a client's frame names the room, if it does.
    private static func join(of address: FrameAddress?) throws(WireError) -> RequestID? {
        switch address {
        // A view's head has no meaning in a client's frame.
        case nil, .view: nil
        case .join(let request): request
        case .request: throw .notOneMessage
        }
    }

    /// The message of a frame, after inflating.
    ///
    /// - Parameters:
    ///   - limit: what a deflated frame may inflate to.
    ///   - address: set to the receiver, if the frame names it.
    private func body(
        of frame: UnsafeRawBufferPointer, atMost limit: Int, _ address: inout FrameAddress?
    ) throws(WireError) -> (number: Int, bytes: UnsafeRawBufferPointer) {
        let outer = try MessageDecoder.onlyMessage(of: frame, &address)
        var innerAddress: FrameAddress?
        let inner = try inflated(outer, atMost: limit, &innerAddress)
        if innerAddress != nil { throw .notOneMessage }
        return inner
    }

    /// The content of a frame, inflated if it is deflated.
    ///
    /// - Parameter innerAddress: set to the receiver that the frame inside a deflated one names.
    private func inflated(
        _ outer: (number: Int, bytes: UnsafeRawBufferPointer), atMost limit: Int,
        _ innerAddress: inout FrameAddress?
    ) throws(WireError) -> (number: Int, bytes: UnsafeRawBufferPointer) {
        guard outer.number == FrameNumber.deflated else { return outer }
        // A frame that can't be inflated takes as much work as one that can.
        defer { work.addInflated(inflater.lastCount) }
        let inflated = try inflater.inflate(outer.bytes, atMost: limit)
        let inner = try MessageDecoder.onlyMessage(of: inflated, &innerAddress)
        guard inner.number != FrameNumber.deflated else {
            throw .broken(.badFrame, "a deflated frame holds another")
        }
        return inner
    }

    /// Returns the one message of a frame.
    ///
    /// - Parameter address: set to the field beside the message that names its room, view or
    ///   request.
    private static func onlyMessage(
        of frame: UnsafeRawBufferPointer, _ address: inout FrameAddress?
    ) throws(WireError) -> (number: Int, bytes: UnsafeRawBufferPointer) {
        do throws(FieldError) {
            var reader = FieldReader(frame)
            guard var number = try reader.next() else { throw .malformed }
            if let found = try FrameAddress(number, &reader) {
                address = found
                guard let next = try reader.next() else { throw .malformed }
                number = next
            }
            let bytes = try reader.body()
            guard let more = try reader.next() else { return (number, bytes) }
            guard address == nil, let found = try FrameAddress(more, &reader) else {
                throw .malformed
            }
            address = found
            guard try reader.next() == nil else { throw .malformed }
            return (number, bytes)
        } catch {
            throw .notOneMessage
        }
    }
}

extension WireError {
    static let noHello = WireError.broken(.badHandshake, "the first message is a hello")
    static let notOneMessage = WireError.broken(
        .badMessage, "a frame holds exactly one message")
}

/// The work of reading frames that their lengths do not measure, whether they could be read or not.
package struct DecodingWork {
    /// Whether there was any.
    fileprivate var isAny = false
    /// Deflated frames, and the bytes to which they inflated.
    package private(set) var inflatedFrames = 0
    package private(set) var inflatedBytes = 0
    /// Bytes of transactions that are not canonical as wholes, and the bytes of their parts that
    /// are not canonical.
    package private(set) var checkedBytes = 0
    package private(set) var nonCanonicalBytes = 0

    fileprivate mutating func addInflated(_ bytes: Int) {
        isAny = true
        inflatedFrames &+= 1
        inflatedBytes &+= bytes
    }

    mutating func addPacked(_ bytes: Int, nonCanonical: Int) {
        isAny = true
        checkedBytes &+= bytes
        nonCanonicalBytes &+= nonCanonical
    }
}
