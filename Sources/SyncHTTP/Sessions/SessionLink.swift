import SyncBytes
import SyncIO
import SyncServer
import SyncWire

/// Receives what a session sends, in place of a client.
protocol SessionClient: AnyObject {
    /// What the session has written: frames, each within one part, or as a part that is its head
    /// and the next one.
    func receive(_ parts: [SharedBytes])
    /// The session is over.
    func sessionDidEnd()
    /// The session has written all that it can write now.
    func sessionDidWrite()
    /// The session reads on after a pause.
    func sessionReadsOn()
    /// How many bytes of what was received are not taken yet.
    var untakenBytes: Int { get }
}

/// A frame that a session sends.
struct SessionFrame {
    /// The bytes that have the frame's body, and where it begins in them. If several frames are in
    /// them, it ends at ``end``.
    let bytes: SharedBytes
    let start: Int
    let end: Int
    /// The request that it answers, if that stands in a head of its own.
    let request: RequestID?

    var body: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: bytes.bytes[start..<end]) }
}

/// The stream between a session and the connection that has opened it, in one process: the session
/// reads what the connection sends as frames, and writes frames to it.
///
/// Invariants:
/// 1. Neither side is called within its own call: what the session's client sends while the session
///    writes waits for the end of the turn.
/// 2. The session's write is over when all that came of it is taken (``didTake()``). So a client
///    that reads slowly has as little waiting for it as any.
/// 3. What is sent while the session does not read waits here. So a client that sends more than a
///    few messages sends nothing while ``isReadingPaused``, and goes on when it is told.
final class SessionLink: ByteStream {
    let peer: String
    private let loop: any EventLoop
    weak var client: (any SessionClient)?
    private var handler: (any ByteStreamHandler)?
    private(set) var isWriting = false
    private var isTaken = false
    /// Whether the session is in a call of ``write(_:)``.
    private var isCalled = false
    private var held: [UInt8] = []
    private var isDeliveryScheduled = false
    private var isClosed = false
    private var encoder = SessionLink.makeEncoder()

    init(peer: String, on loop: any EventLoop) {
        self.peer = peer
        self.loop = loop
    }

    var memoryBytes: Int { SessionLink.ownBytes + held.capacity }

    private static let ownBytes = 1024
    /// Most frames are shorter. The memory of others is not kept.
    private static let retainedBytes = 512

    private static func makeEncoder() -> ByteWriter { ByteWriter(capacity: retainedBytes) }

    // MARK: The client's side

    /// Sends a message to the session.
    func send(_ message: ClientMessage) {
        encoder.reset()
        encoder.writeFrame(message)
        send(encoder.bytes)
        if encoder.count > SessionLink.retainedBytes { encoder = SessionLink.makeEncoder() }
    }

    /// Sends frames, each with its length.
    func send(_ frames: UnsafeRawBufferPointer) {
        guard !isClosed else { return }
        if isCalled || isReadingPaused || !held.isEmpty {
            held.append(contentsOf: frames)
            scheduleDelivery()
        } else {
            handler?.streamDidReceive(frames)
        }
    }

    /// Passes on what is held, and tells the client when that was the last of it.
    private func scheduleDelivery() {
        guard !isReadingPaused, !isDeliveryScheduled, !isClosed else { return }
        isDeliveryScheduled = true
        loop.atEndOfTurn { [self] in
            isDeliveryScheduled = false
            guard !isReadingPaused, !isClosed else { return }
            if !held.isEmpty {
                let bytes = held
                held = []
                bytes.withUnsafeBytes { handler?.streamDidReceive($0) }
            }
            if !isReadingPaused { client?.sessionReadsOn() }
        }
    }

    /// All that has come of the session's write is taken.
    func didTake() {
        guard isWriting, !isTaken else { return }
        isTaken = true
        loop.atEndOfTurn { [self] in
            guard isWriting, isTaken, !isClosed else { return }
            (isWriting, isTaken) = (false, false)
            handler?.streamDidDrain()
        }
    }

    /// Ends the session.
    func close() {
        guard !isClosed else { return }
        isClosed = true
        held = []
        let (handler, client) = (handler, client)
        self.handler = nil
        self.client = nil
        loop.atEndOfTurn {
            handler?.streamDidClose(nil)
            client?.sessionDidEnd()
        }
    }

    // MARK: The session's side

    func open(_ handler: any ByteStreamHandler) {
        guard !isClosed else { return }
        self.handler = handler
    }

    var isReadingPaused = false {
        didSet {
            if isReadingPaused != oldValue { scheduleDelivery() }
        }
    }

    var unsentBytes: Int { isWriting ? client?.untakenBytes ?? 0 : 0 }

    func write(_ parts: [SharedBytes]) {
        guard !isClosed else { return }
        isWriting = true
        isCalled = true
        // It may close this meanwhile.
        let client = client
        client?.receive(parts)
        client?.sessionDidWrite()
        isCalled = false
    }

    func finishWriting() {
        close()
    }
}

extension [SharedBytes] {
    /// Calls `body` with each frame. A frame is within one part, or is a part that is its head, and
    /// the next one (``SharedBytes/parts(answering:)``).
    func forEachFrame(_ body: (SessionFrame) -> Void) {
        var request: RequestID?
        for part in self {
            if let head = request {
                body(SessionFrame(bytes: part, start: 0, end: part.count, request: head))
                request = nil
                continue
            }
            var reader = ByteReader(part.bytes)
            while !reader.isAtEnd {
                var length = reader
                guard let count = try? length.readVarint() else { return }
                guard count <= length.count else {
                    // The request stands in it as a field.
                    guard (try? length.readTag()) != nil, let number = try? length.readVarint()
                    else { return }
                    request = RequestID(truncatingIfNeeded: number)
                    break
                }
                guard (try? reader.readLengthDelimited()) != nil else { return }
                let end = part.count - reader.count
                body(
                    SessionFrame(bytes: part, start: end - Int(count), end: end, request: nil))
            }
        }
    }
}
