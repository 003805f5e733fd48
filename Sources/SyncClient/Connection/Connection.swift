import SyncBytes
import SyncIO
import SyncModel
import SyncWire

/// One connection to a server as messages: it frames, deflates and decodes, and knows nothing of
/// what they mean.
///
/// Invariants:
/// 1. What is sent in one turn of the loop leaves in one write; while a write is in flight, what
///    comes waits for its end.
/// 2. After ``close()``, or after the handler was told of the end, the handler is called no more.
final class Connection {
    private let stream: any ByteStream
    private let loop: any EventLoop
    private weak var handler: (any ConnectionHandler)?

    /// Until the server is known, frames are short.
    private var frames = FrameDecoder(maximumFrameBytes: Connection.greetingBytes)
    private var decoder: MessageDecoder
    private let limits: ClientLimits
    private let encoder = MessageEncoder()
    /// Deflates what goes out, once the server has said that it inflates.
    private var deflater: Deflater?
    private var maximumFrameBytes = WireLimits().clientFrameBytes

    private var outgoing: [SharedBytes] = []
    private var isFlushAsked = false
    private var isClosed = false

    /// How many bytes wait for the write in flight.
    private(set) var waitingBytes = 0
    /// When bytes came last.
    private(set) var lastReceivedMilliseconds: UInt64

    /// Frames of fewer bytes are sent as they are: few of a client's are worth the work.
    private static let deflateThresholdBytes = 2048

    /// The most bytes of a frame with which a server greets, or refuses.
    private static let greetingBytes = 64 << 10

    init(
        _ stream: any ByteStream, loop: any EventLoop, limits: ClientLimits,
        handler: any ConnectionHandler
    ) {
        var wire = WireLimits()
        wire.frameBytes = Connection.greetingBytes
        decoder = MessageDecoder(limits: wire)
        self.limits = limits
        self.stream = stream
        self.loop = loop
        self.handler = handler
        lastReceivedMilliseconds = loop.nowMilliseconds
    }

    func open() {
        stream.open(self)
    }

    /// Goes by what the server says of itself.
    func adopt(_ welcome: Welcome) {
        var wire = WireLimits()
        let frameBytes = max(1, min(welcome.limits.frameBytes, WireLimits.maximumFrameBytes))
        maximumFrameBytes = max(1, min(welcome.limits.clientFrameBytes, frameBytes))
        wire.frameBytes = max(1, min(max(wire.frameBytes, frameBytes), limits.frameBytes))
        frames = FrameDecoder(maximumFrameBytes: wire.frameBytes)
        decoder = MessageDecoder(limits: wire)
        if !welcome.features.isDisjoint(with: [.deflate, .plainDeflate]) {
            deflater = Deflater(
                thresholdBytes: Connection.deflateThresholdBytes,
                hasDictionary: welcome.features.contains(.deflate))
        }
    }

    /// Leaves what arrives to the system for now.
    var isReadingPaused: Bool {
        get { stream.isReadingPaused }
        set {
            guard !isClosed, stream.isReadingPaused != newValue else { return }
            stream.isReadingPaused = newValue
            lastReceivedMilliseconds = loop.nowMilliseconds
        }
    }

    func close() {
        isClosed = true
        handler = nil
        stream.close()
    }

    // MARK: Sending

    /// Sends a message that is small enough for any server.
    func send(_ message: ClientMessage, naming join: RequestID? = nil) {
        _ = sendChecked(message, naming: join)
    }

    /// Sends a message.
    ///
    /// - Parameter join: the request of the join by which it names the room, if not by the room's
    ///   handle.
    /// - Returns: how many bytes it has; `nil` if that is more than the server takes, and then it
    ///   is not sent.
    func sendChecked(_ message: ClientMessage, naming join: RequestID? = nil) -> Int? {
        let frame = encoder.encode(message, naming: join)
        guard frame.plain.count <= maximumFrameBytes else { return nil }
        let bytes = frame.bytes(by: deflater)
        outgoing.append(bytes)
        waitingBytes += bytes.count
        if !isFlushAsked {
            isFlushAsked = true
            loop.atEndOfTurn { [weak self] in self?.flush() }
        }
        return frame.plain.count
    }

    private func flush() {
        isFlushAsked = false
        guard !isClosed, !stream.isWriting, !outgoing.isEmpty else { return }
        stream.write(outgoing)
        outgoing.removeAll(keepingCapacity: true)
        waitingBytes = 0
    }

    private func end(_ error: ClientError) {
        guard !isClosed else { return }
        let handler = handler
        close()
        handler?.connectionDidEnd(self, error)
    }
}

/// Who uses a connection.
protocol ConnectionHandler: AnyObject {
    func connection(_ connection: Connection, didReceive message: ServerMessage)
    /// The system took what was sent; there is room for more.
    func connectionDidDrain(_ connection: Connection)
    /// The last call.
    func connectionDidEnd(_ connection: Connection, _ error: ClientError)
}

extension Connection: ByteStreamHandler {
    func streamDidReceive(_ bytes: UnsafeRawBufferPointer) {
        lastReceivedMilliseconds = loop.nowMilliseconds
        var input = bytes
        do throws(WireError) {
            while !isClosed, let frame = try frames.next(&input) {
                guard let message = try message(in: frame) else { continue }
                handler?.connection(self, didReceive: message)
            }
        } catch {
            end(ClientError(error))
        }
    }

    /// What a frame says; nothing if it is of a newer kind.
    private func message(
        in frame: UnsafeRawBufferPointer
    ) throws(WireError) -> ServerMessage? {
        do throws(WireError) {
            return try decoder.serverMessage(frame)
        } catch .unknownMessage {
            return nil
        }
    }

    func streamDidDrain() {
        flush()
        if !isClosed { handler?.connectionDidDrain(self) }
    }

    func streamDidClose(_ error: IOError?) {
        end(error.map { .connection($0) } ?? .hungUp)
    }
}
