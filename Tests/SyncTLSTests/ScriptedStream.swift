import SyncBytes
import SyncIO

/// A stream whose other side is a test.
final class ScriptedStream: ByteStream {
    let peer = "10.0.0.2:5000"
    private let loop: any EventLoop
    private var handler: (any ByteStreamHandler)?
    /// What the test has sent and the stream has not passed on.
    private var incoming: [[UInt8]] = []
    private var isScheduled = false
    private(set) var isWriting = false
    private(set) var isClosed = false
    private(set) var isFinished = false
    /// What was written since the test last took it.
    private var written: [UInt8] = []
    /// How many bytes have come in.
    private(set) var receivedBytes = 0

    init(on loop: any EventLoop) {
        self.loop = loop
    }

    /// Sends bytes, each part as a read of its own.
    func send(_ parts: [[UInt8]]) {
        incoming += parts.filter { !$0.isEmpty }
        schedule()
    }

    func takeWritten() -> [UInt8] {
        defer { written = [] }
        return written
    }

    private func schedule() {
        guard !isScheduled, !incoming.isEmpty, !isReadingPaused, handler != nil else { return }
        isScheduled = true
        loop.atEndOfTurn { [self] in
            isScheduled = false
            guard !isReadingPaused, let handler else { return }
            let next = incoming.removeFirst()
            receivedBytes += next.count
            next.withUnsafeBytes { handler.streamDidReceive($0) }
            schedule()
        }
    }

    func open(_ handler: any ByteStreamHandler) {
        self.handler = handler
        schedule()
    }

    func write(_ parts: [SharedBytes]) {
        guard !isClosed else { return }
        precondition(!isWriting && !isFinished && handler != nil)
        for part in parts { written += part.array }
        isWriting = true
        loop.atEndOfTurn { [self] in
            isWriting = false
            handler?.streamDidDrain()
        }
    }

    var unsentBytes: Int { 0 }

    func finishWriting() {
        isFinished = true
    }

    var isReadingPaused = false {
        didSet { schedule() }
    }

    func close() {
        guard !isClosed else { return }
        isClosed = true
        loop.atEndOfTurn { [self] in
            let handler = handler
            self.handler = nil
            handler?.streamDidClose(nil)
        }
    }
}
