import CUV
import Glibc
import SyncBytes
import SyncIO

/// A TCP connection: a socket that the loop polls.
///
/// It reads and writes itself. Libuv's streams serve all connections that are ready, however long
/// that blocks the loop. Here a connection that finds the poll full is passed over (``UVLoop``).
///
/// A write first offers everything to the system in one call. It offers the rest when the socket is
/// writable again. An idle connection costs its handle and this object.
final class UVStream: Handle, ByteStream {
    private let loop: UVLoop
    private let socket: Int32
    let peer: String
    // No two accesses overlap here. So Swift does not check that at run time, which would cost time
    // with each read and write.
    @exclusivity(unchecked) private var handler: (any ByteStreamHandler)?
    /// The part of the write in flight that the system has not accepted yet.
    @exclusivity(unchecked) private var unsent: UnsentParts?
    @exclusivity(unchecked) private(set) var isWriting = false
    /// Is called when the socket is connected, or can't be.
    private var whenConnected: ((UVStatus) -> Void)?
    private var closeReason: IOError?
    /// Whether the other side has ended, or the connection is lost.
    @exclusivity(unchecked) private var hasEnded = false
    /// The events that libuv polls for.
    @exclusivity(unchecked) private var polledEvents: Int32 = 0
    /// Whether the loop has passed it over, so that it is not polled.
    @exclusivity(unchecked) private var isPassedOver = false
    /// Whether it was polled again because it had waited longest.
    @exclusivity(unchecked) private var isDue = false
    /// The poll that last served it.
    @exclusivity(unchecked) private var lastPoll = UInt64.max

    /// Takes over a socket; closes it when that fails.
    init(taking socket: Int32, on loop: UVLoop, peer: String) throws(IOError) {
        self.loop = loop
        self.socket = socket
        self.peer = peer
        super.init(UV_POLL)
        do throws(IOError) {
            try adopt(uv_poll_init(loop.raw, raw(), socket))
        } catch {
            Glibc.close(socket)
            throw error
        }
        // The system need not wait for more bytes: a write already has all that this turn sends.
        set(TCP_NODELAY, to: 1)
        // All connections of a machine share the memory that its system has for TCP. One that is
        // not read would take megabytes of it. When none is left, packets of all are dropped.
        set(TCP_NOTSENT_LOWAT, to: UVStream.mostWaitingBytes)
    }

    /// So many bytes, about, wait in the system beyond those that the other side has room for.
    private static let mostWaitingBytes: Int32 = 128 << 10

    private func set(_ option: Int32, to value: Int32) {
        var value = value
        setsockopt(
            socket, Int32(IPPROTO_TCP), option, &value, socklen_t(MemoryLayout<Int32>.size))
    }

    /// Waits until the socket has been connected.
    ///
    /// - Parameter completion: is called once, later, with 0 or an error.
    func awaitConnection(_ completion: @escaping (UVStatus) -> Void) {
        whenConnected = completion
        updatePolling()
    }

    /// Whether the stream is not closed, and was never opened by its user.
    var isUnused: Bool { handler == nil && state == .open }

    // MARK: Polling

    private static let readable = Int32(UV_READABLE.rawValue)
    private static let writable = Int32(UV_WRITABLE.rawValue)

    /// Polls for the events that the stream waits for now.
    private func updatePolling() {
        guard state == .open else { return }
        var events: Int32 = 0
        if !isPassedOver, !hasEnded {
            if handler != nil, !isReadingPaused { events |= UVStream.readable }
            if unsent != nil || whenConnected != nil { events |= UVStream.writable }
        }
        guard events != polledEvents else { return }
        polledEvents = events
        // Without events, libuv stops polling.
        let status = uv_poll_start(raw(), events, streamIsReady)
        if status < 0 { end(with: status) }
    }

    /// Resumes polling, if the stream waits for an event.
    ///
    /// - Returns: whether it does.
    func endPassOver(isDue: Bool) -> Bool {
        isPassedOver = false
        self.isDue = isDue
        updatePolling()
        return polledEvents != 0
    }

    /// - Parameter status: below 0 if the connection is broken; libuv polls it no more then.
    fileprivate func isReady(for events: Int32, _ status: UVStatus) {
        // One poll may report it several times.
        if lastPoll == loop.pollCount, status >= 0 { return }
        // First read what arrived before the connection broke; then a call to the socket returns
        // the error.
        let ready = status < 0 ? polledEvents : events
        let reads = ready & UVStream.readable != 0 && loop.pollBudget.mayRead
        let writes = ready & UVStream.writable != 0 && loop.pollBudget.mayWrite
        if status < 0 { polledEvents = 0 }
        if reads || writes {
            lastPoll = loop.pollCount
            isDue = false
            if writes { canWrite() }
            if reads { receive() }
        } else {
            isPassedOver = true
            loop.passOver(self, isDue: isDue)
        }
        updatePolling()
        loop.endTurnIfFull()
    }

    private func canWrite() {
        guard let completion = whenConnected else { return writeMore() }
        whenConnected = nil
        completion(UVStream.takeError(of: socket))
    }

    private static func takeError(of socket: Int32) -> UVStatus {
        var number: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        let isKnown = getsockopt(socket, SOL_SOCKET, SO_ERROR, &number, &size) == 0
        return isKnown ? -number : -errno
    }

    // MARK: Reading

    func open(_ handler: any ByteStreamHandler) {
        loop.checkThread()
        guard state == .open else { return }
        precondition(self.handler == nil, "a stream is opened once")
        self.handler = handler
        updatePolling()
    }

    var isReadingPaused = false {
        didSet {
            loop.checkThread()
            updatePolling()
        }
    }

    private func receive() {
        guard state == .open, !isReadingPaused, !hasEnded else { return }
        let memory = loop.readBuffer
        let count = recv(socket, memory.baseAddress, loop.pollBudget.nextReadBytes, 0)
        if count > 0 {
            loop.pollBudget.read(count)
            handler?.streamDidReceive(UnsafeRawBufferPointer(rebasing: memory[..<count]))
        } else if count == 0 || errno != EAGAIN && errno != EINTR {
            end(with: count < 0 ? -errno : 0)
        }
    }

    // MARK: Writing

    func write(_ parts: [SharedBytes]) {
        loop.checkThread()
        guard state == .open, !hasEnded else { return }
        precondition(handler != nil, "a stream is opened before it is written to")
        precondition(!isWriting, "one write may be in flight")
        isWriting = true
        var rest = UnsentParts(parts)
        let status = rest.send(to: socket)
        if status < 0, status != UV_EAGAIN { return end(with: status) }
        if rest.byteCount == 0 { return loop.callLater(.drained(self)) }
        unsent = rest
        updatePolling()
    }

    /// Offers the rest of the write to the system.
    private func writeMore() {
        guard state == .open, let status = unsent?.send(to: socket) else { return }
        if status < 0 {
            if status != UV_EAGAIN { end(with: status) }
            return
        }
        loop.pollBudget.write(Int(status))
        guard unsent?.byteCount == 0 else { return }
        unsent = nil
        reportDrained()
    }

    /// Notifies the handler that the write in flight is done.
    func reportDrained() {
        guard state == .open else { return }
        isWriting = false
        handler?.streamDidDrain()
    }

    var unsentBytes: Int { unsent?.byteCount ?? 0 }

    func finishWriting() {
        loop.checkThread()
        guard state == .open else { return }
        precondition(!isWriting, "a stream is finished when all is written")
        shutdown(socket, Int32(SHUT_WR))
    }

    // MARK: Closing

    override func close() {
        loop.checkThread()
        guard state == .open else { return }
        super.close()
        Glibc.close(socket)
    }

    /// Stops reading and writing, since the other side has ended or the connection is lost. The
    /// loop closes the stream soon.
    ///
    /// - Parameter status: below 0 if the connection is lost.
    private func end(with status: UVStatus = 0) {
        guard state == .open, !hasEnded else { return }
        loop.pollBudget.end()
        if status < 0 { closeReason = .connectionLost("\(peer): \(describe(status))") }
        hasEnded = true
        loop.closeLater(self)
    }

    override func didClose() {
        unsent = nil
        isWriting = false
        if let completion = whenConnected {
            whenConnected = nil
            completion(UV_ECANCELED.rawValue)
        }
        let handler = handler
        self.handler = nil
        handler?.streamDidClose(closeReason)
    }
}

/// The parts of a write that are not sent yet.
private struct UnsentParts {
    private let parts: [SharedBytes]
    /// The first part that is not completely sent, and how many of its bytes are.
    private var next = 0
    private var offset = 0
    /// How many bytes are left.
    private(set) var byteCount: Int

    /// How many parts one system call accepts at most.
    private static let mostPartsAtOnce = 1024

    init(_ parts: [SharedBytes]) {
        self.parts = parts
        byteCount = parts.reduce(0) { $0 + $1.count }
    }

    /// Offers what is left to the system, in one call.
    ///
    /// - Returns: how many bytes it has accepted, or an error.
    mutating func send(to socket: Int32) -> UVStatus {
        if byteCount == 0 { return 0 }
        let count = min(parts.count - next, UnsentParts.mostPartsAtOnce)
        let sent = withUnsafeTemporaryAllocation(of: uv_buf_t.self, capacity: count) { buffers in
            for index in 0..<count {
                buffers.initializeElement(at: index, to: buffer(next + index))
            }
            return collsync_send(socket, buffers.baseAddress, count)
        }
        if sent > 0 { take(Int(sent)) }
        return sent
    }

    private func buffer(_ index: Int) -> uv_buf_t {
        let skipped = index == next ? offset : 0
        // The system only reads this memory.
        let base = UnsafeMutableRawPointer(mutating: parts[index].bytes.baseAddress)
        return uv_buf_t(
            base: base?.assumingMemoryBound(to: CChar.self).advanced(by: skipped),
            len: parts[index].count - skipped)
    }

    private mutating func take(_ count: Int) {
        byteCount -= count
        offset += count
        while next < parts.count, offset >= parts[next].count {
            offset -= parts[next].count
            next += 1
        }
    }
}

private func streamIsReady(
    _ raw: UnsafeMutablePointer<uv_poll_t>?, _ status: Int32, _ events: Int32
) {
    Handle.of(raw?.pointee.data, as: UVStream.self)?.isReady(for: events, status)
}
