import SyncBytes

/// Turns frames, which may be anything, into messages. One serves a loop.
package final class MessageDecoder {
    private let limits: WireLimits
    private let inflater = Inflater()
    @exclusivity(unchecked) private var work = DecodingWork()
    // No two accesses overlap here. So Swift does not check that at run time, which would cost time
    // with each transaction.
    @exclusivity(unchecked) private var spare = ByteWriter()

    package init(limits: WireLimits = WireLimits()) {
        self.limits = limits
    }

    /// What frames have taken since the last call; `nil` where their lengths tell it.
    @inline(__always)
    package func takeWork() -> DecodingWork? {
        if !work.isAny { return nil }
        defer { work = DecodingWork() }
        return work
    }

    /// Reads what a client says in a frame: a transaction, or anything else.
    ///
    /// They are not of one type, since transactions are many, and a value that may hold any message
    /// is dear to pass on.
    ///
    /// - Parameters:
    ///   - message: what was said, where it is no transaction.
    ///   - join: the request of the join by which the frame names the room, if it does. It is known
    ///     where the message can't be read, too.
    ///   - limit: what a deflated frame may inflate to, if less than usual.
    /// - Returns: the transaction where it lies; valid as long as the frame is lent, and until the
    ///   next one is read.
    package func readClientFrame(
        _ frame: UnsafeRawBufferPointer, _ message: inout ClientMessage?,
        naming join: inout RequestID?, inflatingTo limit: Int = .max
    ) throws(WireError) -> SubmitView? {
        let (number, bytes) = try clientBody(
            of: frame, naming: &join, atMost: min(limit, limits.clientFrameBytes))
        if number == FrameNumber.submit { return try submit(bytes) }
        message = try clientMessage(number, bytes)
        return nil
    }

    /// A copy of what a client says in a frame, whatever that names the room by.
    package func clientMessage(
        _ frame: UnsafeRawBufferPointer
    ) throws(WireError) -> ClientMessage {
        var join: RequestID?
        return try clientMessage(frame, naming: &join)
    }

    /// A copy of what a client says in a frame.
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

    /// What a server says in a frame.
    package func serverMessage(
        _ frame: UnsafeRawBufferPointer
    ) throws(WireError) -> ServerMessage {
        var address: FrameAddress?
        let (number, bytes) = try body(of: frame, atMost: limits.frameBytes, &address)
        guard var message = try ServerMessage(number, bytes) else { throw .unknownMessage(number) }
        try message.readdress(to: address)
        return message
    }

    /// The message of a client's frame.
    ///
    /// - Parameter join: takes the request of the join by which the frame names the room.
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
        // A view's head means nothing here.
        case nil, .view: nil
        case .join(let request): request
        case .request: throw .notOneMessage
        }
    }

    /// The message of a frame, after inflating.
    ///
    /// - Parameters:
    ///   - limit: what a deflated frame may inflate to.
    ///   - address: for whom it is, where the frame says so itself.
    private func body(
        of frame: UnsafeRawBufferPointer, atMost limit: Int, _ address: inout FrameAddress?
    ) throws(WireError) -> (number: Int, bytes: UnsafeRawBufferPointer) {
        let outer = try MessageDecoder.onlyMessage(of: frame, &address)
        var innerAddress: FrameAddress?
        let inner = try inflated(outer, atMost: limit, &innerAddress)
        if innerAddress != nil { throw .notOneMessage }
        return inner
    }

    /// What a frame holds, inflated if it is deflated.
    ///
    /// - Parameter innerAddress: takes what a deflated frame says in itself of whom it is for.
    private func inflated(
        _ outer: (number: Int, bytes: UnsafeRawBufferPointer), atMost limit: Int,
        _ innerAddress: inout FrameAddress?
    ) throws(WireError) -> (number: Int, bytes: UnsafeRawBufferPointer) {
        guard outer.number == FrameNumber.deflated else { return outer }
        // What can't be inflated has cost as much as what can.
        defer { work.addInflated(inflater.lastCount) }
        let inflated = try inflater.inflate(outer.bytes, atMost: limit)
        let inner = try MessageDecoder.onlyMessage(of: inflated, &innerAddress)
        guard inner.number != FrameNumber.deflated else {
            throw .broken(.badFrame, "a deflated frame holds another")
        }
        return inner
    }

    /// - Parameter address: takes what stands before the message or behind it and says for whom, or
    ///   about what, it is.
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
    static let notOneMessage = WireError.broken(
        .badMessage, "a frame holds exactly one message")
}

/// What reading frames takes beyond what their lengths tell, whether they could be read or not.
package struct DecodingWork {
    /// Whether there was any.
    fileprivate var isAny = false
    /// Frames that were deflated, and what they came to.
    package private(set) var inflatedFrames = 0
    package private(set) var inflatedBytes = 0
    /// Bytes of transactions that are not canonical as wholes, and those of their parts that are
    /// not.
    package private(set) var checkedBytes = 0
    package private(set) var looseBytes = 0

    fileprivate mutating func addInflated(_ bytes: Int) {
        isAny = true
        inflatedFrames &+= 1
        inflatedBytes &+= bytes
    }

    mutating func addPacked(_ bytes: Int, loose: Int) {
        isAny = true
        checkedBytes &+= bytes
        looseBytes &+= loose
    }
}
