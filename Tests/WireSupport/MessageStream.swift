package import SyncBytes
package import SyncIO
package import SyncWire

/// Receives a message stream's events.
package protocol MessageStreamHandler: AnyObject {
    /// The connection is there. Messages may be sent from now on.
    func streamDidOpen()

    func streamDidReceive(_ message: ServerMessage)

    /// The server has sent bytes that are no message. What came together with them is skipped.
    func streamDidFail(_ error: WireError)

    /// The last call: the connection is closed, or can't be made.
    func streamDidClose()
}

/// A client's connection that sends and receives messages, for tests that speak the protocol by
/// themselves.
///
/// It sends no message of its own and checks no rule of the protocol, so that tests can break each
/// one. While a write is in flight, messages are queued. The queue has no limit, since only the
/// test fills it.
package final class MessageStream: ByteStreamHandler {
    private weak var handler: (any MessageStreamHandler)?
    /// Is `nil` unless the connection is open.
    private var stream: (any ByteStream)?
    private var outgoing: [SharedBytes] = []
    private var frames = FrameDecoder()
    private let decoder = MessageDecoder()
    private let encoder = MessageEncoder()

    /// Connects. The handler is not retained; if it is gone by then, the connection is not opened.
    package init(
        to address: SocketAddress, on loop: any EventLoop, by security: (any ClientSecurity)? = nil,
        handler: any MessageStreamHandler
    ) {
        self.handler = handler
        loop.connect(to: address, by: security) { [self] result in
            guard let handler = self.handler else { return }
            guard case .success(let stream) = result else { return handler.streamDidClose() }
            self.stream = stream
            stream.open(self)
            handler.streamDidOpen()
        }
    }

    package var isOpen: Bool { stream != nil }

    /// Whether it leaves what the server sends to the system.
    package var isReadingPaused: Bool {
        get { stream?.isReadingPaused ?? false }
        set { stream?.isReadingPaused = newValue }
    }

    /// Sends a message; does nothing unless the connection is open.
    package func send(_ message: ClientMessage) {
        send(encoder.encode(message).plain)
    }

    /// Sends any bytes; does nothing unless the connection is open.
    package func send(_ bytes: SharedBytes) {
        guard isOpen else { return }
        outgoing.append(bytes)
        flush()
    }

    /// Closes an open connection at once. Queued messages are dropped.
    package func close() {
        stream?.close()
        stream = nil
    }

    /// Releases the connection as it is, for a process that was killed. A secured stream does not
    /// release its handler by itself then.
    package func abandon() {
        stream = nil
    }

    private func flush() {
        guard let stream, !stream.isWriting, !outgoing.isEmpty else { return }
        let parts = outgoing
        outgoing = []
        stream.write(parts)
    }

    // MARK: The stream

    package func streamDidReceive(_ bytes: UnsafeRawBufferPointer) {
        var rest = bytes
        do throws(WireError) {
            while let frame = try frames.next(&rest) {
                handler?.streamDidReceive(try decoder.serverMessage(frame))
            }
        } catch {
            handler?.streamDidFail(error)
        }
    }

    package func streamDidDrain() { flush() }

    package func streamDidClose(_ error: IOError?) {
        stream = nil
        handler?.streamDidClose()
    }
}
