import SyncIO
import SyncLoop
import SyncWire
import Testing

/// Another address of a server. It passes on everything, and records what the clients send.
final class FrameTap: Sendable {
    let address: String
    private let heard: Monitor<[ClientMessage]>
    private let stop: @Sendable () -> Void

    /// The clients' messages, in order.
    var messages: [ClientMessage] { heard.withLock { $0 } }

    init(to server: String) throws {
        let target = try SocketAddress(parsing: server)
        let port = SocketAddress(host: target.host, port: 0)
        let heard = Monitor<[ClientMessage]>([])
        let opened = Monitor<(address: String?, stop: @Sendable () -> Void)?>(nil)
        try LoopPlatform().startLoop(named: "tap") { loop in
            nonisolated(unsafe) let loop = loop
            let mailbox = loop.mailbox
            let listener = try? loop.listen(on: port) { client in
                let (up, down) = (Pipe(), Pipe { message in heard.withLock { $0.append(message) } })
                up.reverse = down
                down.reverse = up
                down.open(client)
                loop.connect(to: target) { result in
                    guard case .success(let server) = result else { return client.close() }
                    up.open(server)
                }
            }
            let address = listener?.address.description
            opened.withLock { $0 = (address, { mailbox.post { loop.stop() } }) }
            opened.notify()
        }
        let (address, stop) = opened.wait { $0 }
        self.heard = heard
        self.stop = stop
        self.address = try #require(address)
    }

    deinit {
        stop()
    }

    /// One of the two streams of a connection, and what is still to be written to it.
    private final class Pipe: ByteStreamHandler {
        private var stream: (any ByteStream)?
        private var outgoing: [SharedBytes] = []
        /// The other stream, which gets what this one reads.
        weak var reverse: Pipe?
        private var frames = FrameDecoder()
        private let decoder = MessageDecoder()
        private let note: ((ClientMessage) -> Void)?

        /// - Parameter note: called with each message that the stream reads, if it is a client's.
        init(note: ((ClientMessage) -> Void)? = nil) {
            self.note = note
        }

        func open(_ stream: any ByteStream) {
            self.stream = stream
            stream.open(self)
            flush()
        }

        private func flush() {
            guard let stream, !stream.isWriting, !outgoing.isEmpty else { return }
            stream.write(outgoing)
            outgoing = []
        }

        func streamDidReceive(_ bytes: UnsafeRawBufferPointer) {
            reverse?.outgoing.append(SharedBytes(copying: bytes))
            reverse?.flush()
            guard let note else { return }
            var input = bytes
            do throws(WireError) {
                while let frame = try frames.next(&input) { note(try decoder.clientMessage(frame)) }
            } catch {
                Issue.record("a client has sent an impossible message: \(error)")
            }
        }

        func streamDidDrain() {
            flush()
        }

        func streamDidClose(_ error: IOError?) {
            reverse?.stream?.close()
        }
    }
}
