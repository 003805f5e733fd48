import SyncIO
import SyncWebSocket

/// A WebSocket whose handshake counts as done: it opens the stream below when it is opened itself.
final class BareWebSocket: ByteStream {
    private let below: any ByteStream
    private let stream: WebSocketStream

    init(_ below: any ByteStream, isServer: Bool, on loop: any EventLoop) {
        self.below = below
        stream = WebSocketStream(on: below, .bytes, isServer: isServer, loop: loop)
    }

    func open(_ handler: any ByteStreamHandler) {
        below.open(stream)
        stream.open(handler)
    }

    var peer: String { stream.peer }
    var isWriting: Bool { stream.isWriting }
    var unsentBytes: Int { stream.unsentBytes }
    var isReadingPaused: Bool {
        get { stream.isReadingPaused }
        set { stream.isReadingPaused = newValue }
    }

    func write(_ parts: [SharedBytes]) { stream.write(parts) }
    func finishWriting() { stream.finishWriting() }
    func close() { stream.close() }
}

/// Makes the connections of a client WebSockets without a handshake.
struct BareWebSocketClient: ClientSecurity {
    func connect(
        to address: SocketAddress, on loop: any EventLoop,
        completion: @escaping (Result<any ByteStream, IOError>) -> Void
    ) {
        loop.connect(to: address) { result in
            completion(result.map { BareWebSocket($0, isServer: false, on: loop) })
        }
    }
}
