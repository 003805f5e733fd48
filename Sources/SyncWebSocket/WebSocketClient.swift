import SyncBytes
import SyncHTTPCodec
package import SyncIO

/// Makes the connections of a client WebSockets, over TLS or not. It takes the place of what
/// secures a connection, which it uses itself.
package final class WebSocketClient: ClientSecurity {
    private let target: String
    private let host: String?
    private let kind: WebSocketProtocol
    private let security: (any ClientSecurity)?

    /// - Parameters:
    ///   - target: the path of the WebSocket, as in `/v1/socket`.
    ///   - host: the name that the server is asked for, if it is another one than its address.
    ///   - security: secures the connection below (`wss`); `nil` for a plain one (`ws`).
    package init(
        target: String, host: String? = nil, _ kind: WebSocketProtocol = .bytes,
        by security: (any ClientSecurity)? = nil
    ) {
        self.target = target
        self.host = host
        self.kind = kind
        self.security = security
    }

    /// Connects, and ends the handshake, which may take ten seconds.
    ///
    /// The failure is ``IOError/unreachable(_:)`` if the server does not agree; the text says what
    /// it answers.
    package func connect(
        to address: SocketAddress, on loop: any EventLoop,
        completion: @escaping (Result<any ByteStream, IOError>) -> Void
    ) {
        loop.connect(to: address, by: security) { [self] result in
            switch result {
            case .failure(let error): completion(.failure(error))
            case .success(let stream):
                let handshake = ClientHandshake(kind, random: loop.random)
                let request = handshake.request(for: target, at: host ?? address.description)
                ClientUpgrade(stream, handshake, kind, loop: loop, completion).begin(request)
            }
        }
    }
}

/// A connection that becomes a WebSocket. It stays the handler of the stream below, and passes its
/// calls on.
private final class ClientUpgrade: ByteStreamHandler {
    private enum Phase {
        case handshake(ResponseReader, completion: (Result<any ByteStream, IOError>) -> Void)
        case open(WebSocketStream)
        case failed
    }

    private let below: any ByteStream
    private let handshake: ClientHandshake
    private let kind: WebSocketProtocol
    private let loop: any EventLoop
    private var phase: Phase
    private var timeout: (any Timer)?

    private static let timeoutMilliseconds: UInt64 = 10_000

    init(
        _ below: any ByteStream, _ handshake: ClientHandshake, _ kind: WebSocketProtocol,
        loop: any EventLoop, _ completion: @escaping (Result<any ByteStream, IOError>) -> Void
    ) {
        (self.below, self.handshake, self.kind, self.loop) = (below, handshake, kind, loop)
        phase = .handshake(ResponseReader(), completion: completion)
    }

    /// Sends the request. The stream below keeps this object from now on.
    func begin(_ request: RequestHead) {
        var writer = ByteWriter()
        guard request.write(to: &writer) else {
            return fail("no request can have this target or this host")
        }
        timeout = loop.schedule(afterMilliseconds: ClientUpgrade.timeoutMilliseconds) {
            [weak self] in self?.fail("the answer takes too long")
        }
        below.open(self)
        below.write([SharedBytes(copying: writer.bytes)])
    }

    private func fail(_ why: String) {
        finish(.failure(.unreachable("\(below.peer): \(why)")))
    }

    private func finish(_ result: Result<WebSocketStream, IOError>) {
        guard case .handshake(_, let completion) = phase else { return }
        timeout?.cancel()
        timeout = nil
        switch result {
        case .failure(let error):
            phase = .failed
            below.close()
            completion(.failure(error))
        case .success(let stream):
            phase = .open(stream)
            completion(.success(stream))
            if !stream.isOpened { stream.close() }
        }
    }

    private func read(_ bytes: UnsafeRawBufferPointer, by reader: ResponseReader) {
        do throws(HTTPError) {
            guard let response = try reader.receive(bytes) else { return }
            guard response.status == 101 else {
                let reason = ResponseHead.reason(of: response.status)
                let space = reason.isEmpty ? "" : " "
                return fail("the server answers \(response.status)\(space)\(reason)")
            }
            if let complaint = handshake.complaint(about: response.fields) {
                return fail("the server opens no such WebSocket: \(complaint)")
            }
        } catch {
            return fail("the server does not answer in HTTP")
        }
        finish(
            .success(
                WebSocketStream(
                    on: below, kind, isServer: false, loop: loop, received: reader.takeRest())))
    }

    func streamDidReceive(_ bytes: UnsafeRawBufferPointer) {
        switch phase {
        case .handshake(let reader, _): read(bytes, by: reader)
        case .open(let stream): stream.streamDidReceive(bytes)
        case .failed: break
        }
    }

    func streamDidDrain() {
        if case .open(let stream) = phase { stream.streamDidDrain() }
    }

    func streamDidClose(_ error: IOError?) {
        switch phase {
        case .handshake:
            // A server that does not trust this client says so only now.
            if case .untrusted = error, let error { return finish(.failure(error)) }
            fail("the connection ends before the server answers")
        case .open(let stream): stream.streamDidClose(error)
        case .failed: break
        }
    }
}
