package import SyncBytes
package import SyncIO

/// One end of a simulated connection.
package final class SimulatedStream: ByteStream, SimulatedResource {
    private static let readBytes = 65_536

    package let peer: String
    /// The connection that the stream is an end of.
    package let connection: SimulatedConnection
    private var loop: SimulatedLoop
    let inbound: SimulatedPipe
    let outbound: SimulatedPipe
    private var handler: (any ByteStreamHandler)?
    package private(set) var isWriting = false
    private(set) var isOpen = true
    private var isReadScheduled = false
    private var isDrainScheduled = false
    private var closeReason: IOError?

    init(
        on loop: SimulatedLoop, connection: SimulatedConnection, inbound: SimulatedPipe,
        outbound: SimulatedPipe, peer: String
    ) {
        self.loop = loop
        self.connection = connection
        self.inbound = inbound
        self.outbound = outbound
        self.peer = peer
        inbound.reader = self
        outbound.writer = self
        loop.didOpen(self)
    }

    /// Moves a stream that is not open yet to another loop of the same machine.
    func move(to other: SimulatedLoop) {
        precondition(handler == nil, "a stream is moved before it is opened")
        guard other !== loop else { return }
        loop.didClose(self)
        loop = other
        other.didOpen(self)
    }

    // MARK: Reading

    package func open(_ handler: any ByteStreamHandler) {
        guard isOpen else { return }
        precondition(self.handler == nil, "a stream is opened once")
        self.handler = handler
        scheduleRead()
    }

    package var isReadingPaused = false {
        didSet { scheduleRead() }
    }

    private var isReadable: Bool {
        isOpen && handler != nil && !isReadingPaused
            && (!inbound.arrived.isEmpty || inbound.end != nil)
    }

    /// Bytes, or the end, have arrived.
    func inboundDidChange() {
        if isWriting, inbound.end == .reset { return fail("connection reset") }
        scheduleRead()
    }

    private func scheduleRead() {
        guard isReadable, !isReadScheduled else { return }
        isReadScheduled = true
        loop.soon { [self] in
            isReadScheduled = false
            read()
        }
    }

    private func read() {
        guard isReadable else { return }
        if inbound.arrived.isEmpty {
            if inbound.end == .reset { fail("connection reset") } else { close() }
        } else {
            let bytes = inbound.read(atMost: SimulatedStream.readBytes)
            bytes.withUnsafeBytes { handler?.streamDidReceive($0) }
            scheduleRead()
        }
    }

    // MARK: Writing

    package func write(_ parts: [SharedBytes]) {
        guard isOpen else { return }
        precondition(handler != nil, "a stream is opened before it is written to")
        precondition(!isWriting, "one write may be in flight")
        guard loop.platform.beginAct() else { return }
        isWriting = true
        if inbound.end == .reset { return fail("broken pipe") }
        outbound.write(parts)
        outboundDidChange()
    }

    /// The pipe may have accepted the rest of the write.
    func outboundDidChange() {
        guard isOpen, isWriting, outbound.hasTakenAll, !isDrainScheduled else { return }
        isDrainScheduled = true
        loop.soon { [self] in
            isDrainScheduled = false
            guard isOpen else { return }
            isWriting = false
            handler?.streamDidDrain()
        }
    }

    package var unsentBytes: Int { isWriting ? outbound.unsentBytes : 0 }

    package func finishWriting() {
        guard isOpen else { return }
        precondition(!isWriting, "a stream is finished when all is written")
        guard loop.platform.beginAct() else { return }
        outbound.write(.orderly)
    }

    // MARK: Closing

    package func close() {
        guard isOpen else { return }
        leave()
        loop.soon { [self] in
            let handler = handler
            self.handler = nil
            handler?.streamDidClose(closeReason)
            loop.didClose(self)
        }
    }

    func fail(_ reason: String) {
        guard isOpen else { return }
        closeReason = .connectionLost("\(peer): \(reason)")
        close()
    }

    /// Closes the stream if it was never opened.
    func closeIfUnused() {
        if handler == nil { close() }
    }

    func closeWithLoop() {
        close()
    }

    func abandon() {
        if isOpen { leave() }
    }

    /// Tells its handler that it is closed, which nothing does in a killed process.
    func release() {
        let handler = handler
        self.handler = nil
        handler?.streamDidClose(nil)
    }

    /// Notifies the other side as the system does: that nothing follows, or, if this side has
    /// unread bytes, that the connection is reset.
    private func leave() {
        isOpen = false
        isWriting = false
        outbound.write(inbound.arrived.isEmpty ? .orderly : .reset)
        connection.sideDidClose()
    }
}
