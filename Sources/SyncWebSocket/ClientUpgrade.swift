import SyncBytes
import SyncHTTPCodec
import SyncIO

/// A connection that becomes a WebSocket. It stays the handler of the stream below, and passes its
/// calls on.
///
/// Of what the server answers it holds the head, whose length is bounded (``HTTPLimits``).
final class ClientUpgrade: ByteStreamHandler {
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
    /// The first bytes of the answer, as many as tell what it is.
    private var firstBytes: [UInt8] = []

    private static let timeoutMilliseconds: UInt64 = 10_000
    private static let httpBytes = Array("HTTP/".utf8)
    /// An alert of TLS begins like this.
    private static let alertBytes: [UInt8] = [0x15, 0x03]

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
            return finish(.failure(.system("no request can have this target or this host")))
        }
        timeout = loop.schedule(afterMilliseconds: ClientUpgrade.timeoutMilliseconds) {
            [weak self] in self?.fail("the answer takes too long")
        }
        below.open(self)
        below.write([SharedBytes(copying: writer.bytes)])
    }

    /// The server does not answer.
    private func fail(_ why: String) {
        finish(.failure(.unreachable("\(below.peer): \(why)")))
    }

    /// The server answers, and opens no WebSocket.
    private func refuse(
        _ reason: WebSocketRefusal.Reason, _ why: String, afterMilliseconds: UInt32 = 0
    ) {
        let text = "\(below.peer): \(why)"
        finish(
            .failure(
                .noWebSocket(
                    WebSocketRefusal(reason, text, retryAfterMilliseconds: afterMilliseconds))))
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
        firstBytes += bytes.prefix(ClientUpgrade.httpBytes.count - firstBytes.count)
        if firstBytes.starts(with: ClientUpgrade.alertBytes) {
            return refuse(.needsTLS, "the server takes only connections by TLS")
        }
        // What is no answer may be short, and never end.
        let isUnknown = firstBytes.count < ClientUpgrade.alertBytes.count
        guard isUnknown || ClientUpgrade.httpBytes.starts(with: firstBytes) else {
            return refuse(.notOffered, "the server does not answer in HTTP")
        }
        do throws(HTTPError) {
            guard let response = try reader.receive(bytes) else { return }
            guard response.status == 101 else {
                return refuse(
                    response.refusalReason, response.refusalText,
                    afterMilliseconds: response.retryAfterMilliseconds)
            }
            if let complaint = handshake.complaint(about: response.fields) {
                return refuse(.notOffered, "the server opens no such WebSocket: \(complaint)")
            }
        } catch .headTooLong {
            return refuse(.notOffered, "the head of the server's answer is too long")
        } catch {
            return refuse(.notOffered, "the server does not answer in HTTP")
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

// What an answer means that opens no WebSocket. A proxy may give it in place of the server.
extension ResponseHead {
    fileprivate var refusalReason: WebSocketRefusal.Reason {
        switch status {
        case 401, 403, 407: .notAllowed
        case 426 where needsTLS: .needsTLS
        case 408, 425, 429, 500...599: .unavailable
        default: .notOffered
        }
    }

    /// Whether it asks for TLS (RFC 2817).
    private var needsTLS: Bool {
        fields.value(of: "Upgrade")?.withBytes { $0.starts(with: "TLS/".utf8) } ?? false
    }

    fileprivate var refusalText: String {
        if status == 426, needsTLS { return "the server takes only connections by TLS" }
        let reason = ResponseHead.reason(of: status)
        let answer = "the server answers \(status)\(reason.isEmpty ? "" : " ")\(reason)"
        guard (300..<400).contains(status), let location else { return answer }
        // Who follows shows another server its token.
        return "\(answer), and names \(location), which the client does not follow"
    }

    /// Where the answer says that the server is, if that is short enough to read.
    private var location: String? {
        guard let location = fields.value(of: "Location")?.shown,
            (1...200).contains(location.utf8.count),
            location.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { return nil }
        return location
    }

    fileprivate var retryAfterMilliseconds: UInt32 {
        let seconds = fields.value(of: "Retry-After").flatMap { UInt32($0.shown) } ?? 0
        return min(seconds, ResponseHead.mostRetrySeconds) * 1000
    }

    /// A longer time to wait counts as this one: an hour.
    private static let mostRetrySeconds: UInt32 = 3600
}
