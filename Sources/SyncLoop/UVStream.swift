import CUV
import Glibc
import SyncBytes
import SyncIO

/// A TCP connection.
///
/// A write first offers everything to the system in one call; only what that does not take becomes
/// a request to libuv, whose memory is made when it is first needed and kept for the next time. An
/// idle connection thus costs its handle and this object.
final class UVStream: Handle, ByteStream {
    private let loop: UVLoop
    let peer: String
    // What each write looks at is not checked for exclusive access, as it costs: no access spans another.
    @exclusivity(unchecked) private var handler: (any ByteStreamHandler)?
    @exclusivity(unchecked) private(set) var isWriting = false
    /// What libuv's request in flight points into.
    @exclusivity(unchecked) private var partsInFlight: [SharedBytes] = []
    private var request: UnsafeMutablePointer<uv_write_t>?
    private var closeReason: IOError?
    /// Whether the loop has it read in a later poll.
    @exclusivity(unchecked) private var isPassedOver = false
    /// The poll in which it was last read.
    @exclusivity(unchecked) private var lastPoll = UInt64.max
    /// The system's number of the connection, once that is in use.
    @exclusivity(unchecked) private var socket: Int32 = -1

    /// Makes a stream that is yet to be connected.
    init(on loop: UVLoop, peer: String) throws(IOError) {
        self.loop = loop
        self.peer = peer
        super.init(UV_TCP)
        try adopt(uv_tcp_init(loop.raw, raw()))
    }

    /// Takes over a connected socket; closes it when that fails.
    static func adopting(
        socket: Int32, on loop: UVLoop, peer: String
    ) throws(IOError) -> UVStream {
        let stream: UVStream
        do throws(IOError) {
            stream = try UVStream(on: loop, peer: peer)
        } catch {
            Glibc.close(socket)
            throw error
        }
        let status = uv_tcp_open(stream.raw(), socket)
        guard status >= 0 else {
            Glibc.close(socket)
            stream.close()
            throw .system("cannot use a connection: \(describe(status))")
        }
        stream.sendAtOnce()
        return stream
    }

    /// Has the system send small writes without waiting for more: there is no more, a write is
    /// already all there is to say in this turn.
    func sendAtOnce() {
        uv_tcp_nodelay(raw(), 1)
    }

    /// Whether nobody has taken the stream into use.
    var isUnused: Bool { handler == nil && state == .open }

    // MARK: Reading

    func open(_ handler: any ByteStreamHandler) {
        loop.checkThread()
        guard state == .open else { return }
        precondition(self.handler == nil, "a stream is opened once")
        self.handler = handler
        uv_fileno(raw(), &socket)
        if !isReadingPaused { startReading() }
    }

    var isReadingPaused = false {
        didSet {
            loop.checkThread()
            guard isReadingPaused != oldValue, state == .open, handler != nil else { return }
            if isReadingPaused {
                uv_read_stop(raw())
            } else {
                startReading()
            }
        }
    }

    /// Is polled again, if it is to be read.
    ///
    /// - Returns: whether it is.
    func endPassOver() -> Bool {
        isPassedOver = false
        guard state == .open, !isReadingPaused else { return false }
        startReading()
        return state == .open
    }

    private func startReading() {
        if isPassedOver { return }
        let status = uv_read_start(raw(), giveReadBuffer, streamDidRead)
        if status < 0 { fail(status) }
    }

    /// Where the next read goes; nowhere, if the stream was read in this poll before.
    fileprivate func takeReadBuffer() -> UnsafeMutableRawBufferPointer {
        let count = lastPoll == loop.pollCount ? 0 : loop.nextReadBytes
        if count > 0 { lastPoll = loop.pollCount }
        return UnsafeMutableRawBufferPointer(rebasing: loop.readBuffer[..<count])
    }

    fileprivate func didRead(_ count: Int) {
        // It was given nothing to read to, and is ready still.
        if count == Int(UV_ENOBUFS.rawValue) {
            guard lastPoll != loop.pollCount, !isPassedOver else { return }
            isPassedOver = true
            uv_read_stop(raw())
            return loop.passOver(self)
        }
        loop.noteEvent(bytes: max(0, count))
        if count > 0 {
            handler?.streamDidReceive(UnsafeRawBufferPointer(rebasing: loop.readBuffer[..<count]))
        } else if count < 0 {
            let status = UVStatus(truncatingIfNeeded: count)
            if status == UV_EOF { close() } else { fail(status) }
        }
        loop.endTurnIfFull()
    }

    // MARK: Writing

    func write(_ parts: [SharedBytes]) {
        loop.checkThread()
        guard state == .open else { return }
        precondition(handler != nil, "a stream is opened before it is written to")
        precondition(!isWriting, "one write may be in flight")
        isWriting = true
        if parts.count == 1 {
            var buffer = uv_buf_t(parts[0])
            let count = buffer.len > 0 ? 1 : 0
            return withUnsafeMutablePointer(to: &buffer) {
                write(UnsafeMutableBufferPointer(start: $0, count: count), keeping: parts)
            }
        }
        withUnsafeTemporaryAllocation(of: uv_buf_t.self, capacity: parts.count) { buffers in
            var filled = 0
            for part in parts where part.count > 0 {
                buffers[filled] = uv_buf_t(part)
                filled += 1
            }
            write(UnsafeMutableBufferPointer(rebasing: buffers[..<filled]), keeping: parts)
        }
    }

    private func write(
        _ buffers: UnsafeMutableBufferPointer<uv_buf_t>, keeping parts: [SharedBytes]
    ) {
        guard let first = buffers.baseAddress, !buffers.isEmpty else {
            return loop.callLater(.drained(self))
        }
        let sent = collsync_send(socket, first, buffers.count)
        if sent < 0, sent != UV_EAGAIN { return fail(sent) }
        var taken = max(0, Int(sent))
        var next = 0
        while next < buffers.count, taken >= buffers[next].len {
            taken -= buffers[next].len
            next += 1
        }
        guard next < buffers.count else { return loop.callLater(.drained(self)) }
        buffers[next].base += taken
        buffers[next].len -= taken
        sendRest(first + next, count: buffers.count - next, keeping: parts)
    }

    private func sendRest(
        _ buffers: UnsafeMutablePointer<uv_buf_t>, count: Int, keeping parts: [SharedBytes]
    ) {
        let request = self.request ?? .allocate(capacity: 1)
        self.request = request
        partsInFlight = parts
        let status = uv_write(request, raw(), buffers, UInt32(count), streamDidWrite)
        if status < 0 { fail(status) }
    }

    fileprivate func didWrite(_ status: UVStatus) {
        partsInFlight = []
        guard state == .open else { return }
        if status < 0 { fail(status) } else { reportDrained() }
    }

    /// Tells the handler that the write in flight is done.
    func reportDrained() {
        guard state == .open else { return }
        isWriting = false
        handler?.streamDidDrain()
    }

    var unsentBytes: Int { isWriting ? uv_stream_get_write_queue_size(raw()) : 0 }

    /// There is nothing that libuv would have to write before, so the system is told right away.
    func finishWriting() {
        loop.checkThread()
        guard state == .open else { return }
        precondition(!isWriting, "a stream is finished when all is written")
        shutdown(socket, Int32(SHUT_WR))
    }

    // MARK: Closing

    override func close() {
        loop.checkThread()
        super.close()
    }

    private func fail(_ status: UVStatus) {
        guard state == .open else { return }
        closeReason = .connectionLost("\(peer): \(describe(status))")
        close()
    }

    /// libuv has called back for the write in flight before this.
    override func didClose() {
        request?.deallocate()
        request = nil
        isWriting = false
        partsInFlight = []
        let handler = handler
        self.handler = nil
        handler?.streamDidClose(closeReason)
    }
}

extension uv_buf_t {
    /// Memory that is only read.
    fileprivate init(_ part: SharedBytes) {
        let base = UnsafeMutableRawPointer(mutating: part.bytes.baseAddress)
        self.init(base: base?.assumingMemoryBound(to: CChar.self), len: part.count)
    }
}

private func giveReadBuffer(
    _ raw: UnsafeMutablePointer<uv_handle_t>?, _ suggestedSize: Int,
    _ buffer: UnsafeMutablePointer<uv_buf_t>?
) {
    guard let stream = Handle.of(raw?.pointee.data, as: UVStream.self) else { return }
    let memory = stream.takeReadBuffer()
    buffer?.pointee = uv_buf_t(
        base: memory.baseAddress?.assumingMemoryBound(to: CChar.self), len: memory.count)
}

private func streamDidRead(
    _ raw: UnsafeMutablePointer<uv_stream_t>?, _ count: Int, _ buffer: UnsafePointer<uv_buf_t>?
) {
    Handle.of(raw?.pointee.data, as: UVStream.self)?.didRead(count)
}

private func streamDidWrite(_ request: UnsafeMutablePointer<uv_write_t>?, _ status: Int32) {
    Handle.of(request?.pointee.handle.pointee.data, as: UVStream.self)?.didWrite(status)
}
