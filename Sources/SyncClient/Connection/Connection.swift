import SyncBytes
import SyncIO
import SyncModel
import SyncWire

/// One connection to a server, as messages: it frames, deflates and decodes them, but does not
/// interpret them.
///
/// Invariants:
/// 1. All messages of one turn of the loop leave in one write. While a write is in flight, further
///    messages are buffered.
/// 2. What is buffered has an upper limit, at which the connection ends at the end of the turn.
/// 3. After ``close()``, or after `connectionDidEnd`, the handler is not called any more.
final class Connection {
    private let stream: any ByteStream
    private let loop: any EventLoop
    private weak var handler: (any ConnectionHandler)?

    /// Before the welcome, frames are short.
    private var frames = FrameDecoder(maximumFrameBytes: Connection.greetingBytes)
    private var decoder: MessageDecoder
    private let limits: ClientLimits
    private let encoder = MessageEncoder()
    /// Deflates outgoing frames, once the server has said that it inflates.
    private var deflater: Deflater?
    private var maximumFrameBytes = WireLimits().clientFrameBytes
    /// Beside one message of any size. A server can make the client send messages, such as joins,
    /// and read none of them.
    private let maximumBufferedBytes: Int
    private var isOverfull = false
    /// The first bytes received; `nil` once there are enough to tell another protocol.
    private var firstBytes: [UInt8]? = []

    private var outgoing: [SharedBytes] = []
    private var isFlushAsked = false
    private var isClosed = false

    /// How many bytes are buffered for the next write.
    private(set) var bufferedBytes = 0
    /// When bytes were received last.
    private(set) var lastReceivedMilliseconds: UInt64

    /// Shorter frames are not deflated: few frames of a client are worth the work.
    private static let deflateThresholdBytes = 2048

    private static let greetingPrefix = 4

    /// The most bytes of a server's first frame: a welcome or an error.
    private static let greetingBytes = 64 << 10

    init(
        _ stream: any ByteStream, loop: any EventLoop, limits: ClientLimits,
        maximumBufferedBytes: Int, handler: any ConnectionHandler
    ) {
        var wire = WireLimits()
        wire.frameBytes = Connection.greetingBytes
        decoder = MessageDecoder(limits: wire)
        self.limits = limits
        self.maximumBufferedBytes = maximumBufferedBytes
        self.stream = stream
        self.loop = loop
        self.handler = handler
        lastReceivedMilliseconds = loop.nowMilliseconds
    }

    func open() {
        stream.open(self)
    }

    /// Adopts the limits and features that the server announced.
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

    /// Whether arriving bytes are left to the system for now.
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
    /// - Parameter join: the request of the room's join, if the message names the room by that and
    ///   not by its handle.
    /// - Returns: how many bytes it has; `nil` if that is more than the server accepts. Then it is
    ///   not sent. Nor is it if the connection ends.
    func sendChecked(_ message: ClientMessage, naming join: RequestID? = nil) -> Int? {
        let frame = encoder.encode(message, naming: join)
        guard frame.plain.count <= maximumFrameBytes else { return nil }
        let bytes = frame.bytes(by: deflater)
        isOverfull = isOverfull || bufferedBytes > maximumBufferedBytes
        if !isOverfull {
            outgoing.append(bytes)
            bufferedBytes += bytes.count
        }
        if !isFlushAsked {
            isFlushAsked = true
            loop.atEndOfTurn { [weak self] in self?.flush() }
        }
        return frame.plain.count
    }

    private func flush() {
        isFlushAsked = false
        if isOverfull { return end(.broken(.badMessage, "it does not read what the client sends")) }
        guard !isClosed, !stream.isWriting, !outgoing.isEmpty else { return }
        stream.write(outgoing)
        outgoing.removeAll(keepingCapacity: true)
        bufferedBytes = 0
    }

    private func end(_ error: ClientError) {
        guard !isClosed else { return }
        let handler = handler
        close()
        handler?.connectionDidEnd(self, error)
    }
}

/// The user of a connection.
protocol ConnectionHandler: AnyObject {
    func connection(_ connection: Connection, didReceive message: ServerMessage)
    /// The system has accepted all that was sent; there is room for more.
    func connectionDidDrain(_ connection: Connection)
    /// The last call.
    func connectionDidEnd(_ connection: Connection, _ error: ClientError)
}

extension Connection: ByteStreamHandler {
    func streamDidReceive(_ bytes: UnsafeRawBufferPointer) {
        lastReceivedMilliseconds = loop.nowMilliseconds
        switch foreignGreeting(bytes) {
        case .tls: return end(.needsTLS)
        case .http: return end(.speaksHTTP)
        case .frames, nil: break
        }
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

    /// The protocol of the server, if the first bytes have come now and are of another one.
    private func foreignGreeting(_ bytes: UnsafeRawBufferPointer) -> ForeignGreeting? {
        guard var first = firstBytes else { return nil }
        first += bytes.prefix(Connection.greetingPrefix - first.count)
        firstBytes = first.count < Connection.greetingPrefix ? first : nil
        return first.withUnsafeBytes { ForeignGreeting($0) }
    }

    /// The message of a frame; `nil` if it is of a newer kind.
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
