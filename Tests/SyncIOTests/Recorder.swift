import SyncBytes
import SyncIO

/// A stream's handler that records its callbacks, and forwards them.
final class Recorder: ByteStreamHandler {
    let stream: any ByteStream
    private(set) var received: [UInt8] = []
    private(set) var drains = 0
    private(set) var closes: [IOError?] = []
    /// Whether the test is inside a call of the stream: no callback may come then.
    private var isInCall = false
    private(set) var callbacksWithinCalls = 0
    var onReceive: (Recorder) -> Void = { _ in }
    var onDrain: (Recorder) -> Void = { _ in }
    var onClose: (Recorder) -> Void = { _ in }

    /// Opens the stream. The test may set its reactions to callbacks right after.
    init(opening stream: any ByteStream) {
        self.stream = stream
        call { stream.open(self) }
    }

    func write(_ bytes: [UInt8]) {
        call { stream.write([SharedBytes(bytes)]) }
    }

    func write(parts: [SharedBytes]) {
        call { stream.write(parts) }
    }

    func close() {
        call { stream.close() }
    }

    func call(_ body: () -> Void) {
        isInCall = true
        body()
        isInCall = false
    }

    private func callbackCame() {
        if isInCall { callbacksWithinCalls += 1 }
    }

    func streamDidReceive(_ bytes: UnsafeRawBufferPointer) {
        callbackCame()
        received.append(contentsOf: bytes)
        onReceive(self)
    }

    func streamDidDrain() {
        callbackCame()
        drains += 1
        onDrain(self)
    }

    func streamDidClose(_ error: IOError?) {
        callbackCame()
        closes.append(error)
        let last = onClose
        onReceive = { _ in }
        onDrain = { _ in }
        onClose = { _ in }
        last(self)
    }
}

/// Two connected streams, both open, with their listener.
enum Pair {
    /// Makes a pair and passes it to `body` once both ends are open.
    static func make(
        on loop: any EventLoop, at address: SocketAddress = .anyPort,
        _ body: @escaping (_ client: Recorder, _ server: Recorder, any Listener) -> Void
    ) throws {
        var server: Recorder?
        var client: Recorder?
        var listener: (any Listener)?
        func handOver() {
            if let client, let server, let listener { body(client, server, listener) }
        }
        let opened = try loop.listen(on: address) { stream in
            server = Recorder(opening: stream)
            handOver()
        }
        listener = opened
        loop.connect(to: opened.address) { result in
            guard let stream = try? result.get() else { return loop.stop() }
            client = Recorder(opening: stream)
            handOver()
        }
    }
}
