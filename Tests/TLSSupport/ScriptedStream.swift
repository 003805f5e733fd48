package import SyncBytes
package import SyncIO

/// A stream whose other side is a test, which sends and takes bytes by calls.
package final class ScriptedStream: ByteStream {
    package let peer = "10.0.0.2:5000"
    private let loop: any EventLoop
    private var handler: (any ByteStreamHandler)?
    /// What the test has sent and the stream has not passed on.
    private var incoming: [[UInt8]] = []
    private var isScheduled = false
    package private(set) var isWriting = false
    package private(set) var isClosed = false
    package private(set) var isFinished = false
    /// What was written since the test last took it.
    private var written: [UInt8] = []
    /// How many bytes have come in.
    package private(set) var receivedBytes = 0

    package init(on loop: any EventLoop) {
        self.loop = loop
    }

    /// Sends bytes, each part as a read of its own.
    package func send(_ parts: [[UInt8]]) {
        incoming += parts.filter { !$0.isEmpty }
        schedule()
    }

    package func takeWritten() -> [UInt8] {
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

    package func open(_ handler: any ByteStreamHandler) {
        self.handler = handler
        schedule()
    }

    package func write(_ parts: [SharedBytes]) {
        guard !isClosed else { return }
        precondition(!isWriting && !isFinished && handler != nil)
        for part in parts { written += part.array }
        isWriting = true
        loop.atEndOfTurn { [self] in
            isWriting = false
            handler?.streamDidDrain()
        }
    }

    package var unsentBytes: Int { 0 }

    package func finishWriting() {
        isFinished = true
    }

    package var isReadingPaused = false {
        didSet { schedule() }
    }

    /// Lets go of what it calls, which retains it: the last call to a stream that is not closed.
    package func abandon() {
        handler = nil
        incoming = []
    }

    package func close() {
        guard !isClosed else { return }
        isClosed = true
        loop.atEndOfTurn { [self] in
            let handler = handler
            self.handler = nil
            handler?.streamDidClose(nil)
        }
    }
}
