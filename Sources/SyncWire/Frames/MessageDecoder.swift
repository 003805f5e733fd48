import SyncBytes

/// What a client says: a submit where it lies, or another message.
package enum ClientFrame {
    case submit(SubmitView)
    case message(ClientMessage)
}

/// Turns frames, which may be anything, into messages. One serves a loop.
package final class MessageDecoder {
    private let limits: WireLimits
    private var inflater: Inflater?
    // Not checked for exclusive access, as it costs for each transaction: no access spans another.
    @exclusivity(unchecked) private var spare = ByteWriter()

    package init(limits: WireLimits = WireLimits()) {
        self.limits = limits
    }

    /// What a client says in a frame; valid as long as that is lent, and until the next one is read.
    package func clientFrame(_ frame: UnsafeRawBufferPointer) throws(WireError) -> ClientFrame {
        let (number, bytes) = try body(of: frame)
        if number == FrameNumber.submit {
            return .submit(try SubmitView(parsing: bytes, limits: limits, spare: &spare))
        }
        guard let message = try ClientMessage(number, bytes) else { throw .unknownMessage(number) }
        return .message(message)
    }

    /// A copy of what a client says in a frame.
    package func clientMessage(
        _ frame: UnsafeRawBufferPointer
    ) throws(WireError) -> ClientMessage {
        switch try clientFrame(frame) {
        case .submit(let submit): .submit(Submit(submit))
        case .message(let message): message
        }
    }

    /// What a server says in a frame.
    package func serverMessage(
        _ frame: UnsafeRawBufferPointer
    ) throws(WireError) -> ServerMessage {
        let (number, bytes) = try body(of: frame)
        guard let message = try ServerMessage(number, bytes) else { throw .unknownMessage(number) }
        return message
    }

    /// The one field of a frame, after inflating.
    private func body(
        of frame: UnsafeRawBufferPointer
    ) throws(WireError) -> (number: Int, bytes: UnsafeRawBufferPointer) {
        let outer = try MessageDecoder.onlyField(of: frame)
        guard outer.number == FrameNumber.deflated else { return outer }
        let inflater = inflater ?? Inflater(maximumBytes: limits.frameBytes)
        self.inflater = inflater
        let inner = try MessageDecoder.onlyField(of: try inflater.inflate(outer.bytes))
        guard inner.number != FrameNumber.deflated else {
            throw .broken(.badFrame, "a deflated frame holds another")
        }
        return inner
    }

    private static func onlyField(
        of frame: UnsafeRawBufferPointer
    ) throws(WireError) -> (number: Int, bytes: UnsafeRawBufferPointer) {
        do throws(FieldError) {
            var reader = FieldReader(frame)
            guard let number = try reader.next() else { throw .malformed }
            let bytes = try reader.body()
            guard try reader.next() == nil else { throw .malformed }
            return (number, bytes)
        } catch {
            throw .broken(.badMessage, "a frame holds exactly one message")
        }
    }
}
