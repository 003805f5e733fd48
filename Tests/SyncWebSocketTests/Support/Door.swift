import SyncBytes
import SyncHTTPCodec
import SyncIO
import SyncWebSocket

/// A server's side of a connection: it reads a request, answers the handshake, and passes the calls
/// of the stream below on.
final class Door: ByteStreamHandler, @unchecked Sendable {
    // Sendable, because a door belongs to one loop.
    private let below: any ByteStream
    private let loop: any EventLoop
    private let reader = RequestReader()
    private var stream: WebSocketStream?
    /// What it answers in place of the handshake's answer, if anything.
    private let answer: String?
    private let whenOpen: (WebSocketStream) -> Void

    init(
        _ below: any ByteStream, on loop: any EventLoop, answering answer: String? = nil,
        whenOpen: @escaping (WebSocketStream) -> Void
    ) {
        (self.below, self.loop) = (below, loop)
        (self.answer, self.whenOpen) = (answer, whenOpen)
        below.open(self)
    }

    func streamDidReceive(_ bytes: UnsafeRawBufferPointer) {
        if let stream { return stream.streamDidReceive(bytes) }
        reader.receive(bytes)
        guard case .head(let request) = try? reader.next() else { return }
        if let answer { return below.write([SharedBytes(Array(answer.utf8))]) }
        guard let handshake = try? ServerHandshake(request) else { return below.close() }
        var writer = ByteWriter()
        guard ResponseHead(101, handshake.fields).write(to: &writer) else { return }
        let opened = WebSocketStream(
            on: below, handshake.kind, isServer: true, loop: loop, received: reader.takeRest())
        stream = opened
        below.write([SharedBytes(copying: writer.bytes)])
        whenOpen(opened)
    }

    func streamDidDrain() { stream?.streamDidDrain() }
    func streamDidClose(_ error: IOError?) { stream?.streamDidClose(error) }
}
