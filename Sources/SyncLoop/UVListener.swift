import CUV
import Glibc
import SyncIO
import Synchronization

/// An open port: a listening socket that the loop polls.
///
/// It calls `accept` itself. When no file descriptor is left, `uv_listen` drops waiting connections
/// and may spin. Here they stay in the system's queue, and the listener tries again a little later.
final class UVListener: Handle, Listener {
    private static let backlog: Int32 = 4096
    /// How many connections one callback accepts at most, so that other events are handled too.
    private static let acceptsPerTurn = 64
    private static let retryDelayMilliseconds: UInt64 = 100

    private let loop: UVLoop
    private let socket: Int32
    let address: SocketAddress
    private var incoming: ((any IncomingStream) -> Void)?
    private var retry: (any Timer)?

    private init(
        socket: Int32, address: SocketAddress, loop: UVLoop,
        incoming: @escaping (any IncomingStream) -> Void
    ) {
        self.socket = socket
        self.address = address
        self.loop = loop
        self.incoming = incoming
        super.init(UV_POLL)
    }

    static func open(
        on address: SocketAddress, loop: UVLoop, incoming: @escaping (any IncomingStream) -> Void
    ) throws(IOError) -> UVListener {
        let candidates: [ResolvedAddress]
        do throws(LookupError) {
            candidates = try ResolvedAddress.lookUp(address, flags: AI_PASSIVE)
        } catch {
            throw .system("cannot listen on \(address): \(error.text)")
        }
        var failure = IOError.system("cannot listen on \(address): it has no address")
        for candidate in candidates {
            do throws(IOError) {
                return try open(candidate, address, loop, incoming)
            } catch {
                failure = error
            }
        }
        throw failure
    }

    private static func open(
        _ candidate: ResolvedAddress, _ address: SocketAddress, _ loop: UVLoop,
        _ incoming: @escaping (any IncomingStream) -> Void
    ) throws(IOError) -> UVListener {
        let socket = try makeSocket(candidate, for: address)
        return try poll(socket, boundAddress(of: socket) ?? address, loop, incoming)
    }

    /// The address that a socket is bound to.
    static func boundAddress(of socket: Int32) -> SocketAddress? {
        ResolvedAddress { getsockname(socket, $0, $1) == 0 }?.socketAddress
    }

    /// Polls a listening socket, which the listener owns from then on, even if this fails.
    static func poll(
        _ socket: Int32, _ address: SocketAddress, _ loop: UVLoop,
        _ incoming: @escaping (any IncomingStream) -> Void
    ) throws(IOError) -> UVListener {
        let listener = UVListener(
            socket: socket, address: address, loop: loop, incoming: incoming)
        do throws(IOError) {
            try listener.adopt(uv_poll_init(loop.raw, listener.raw(), socket))
        } catch {
            Glibc.close(socket)
            throw error
        }
        listener.startPolling()
        return listener
    }

    private static func makeSocket(
        _ candidate: ResolvedAddress, for address: SocketAddress
    ) throws(IOError) -> Int32 {
        let type = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let socket = Glibc.socket(candidate.family, type, 0)
        var yes: Int32 = 1
        let size = socklen_t(MemoryLayout<Int32>.size)
        if socket >= 0, setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, size) == 0,
            candidate.withPointer({ bind(socket, $0, $1) }) == 0, Glibc.listen(socket, backlog) == 0
        {
            return socket
        }
        let number = errno
        if socket >= 0 { Glibc.close(socket) }
        if number == EADDRINUSE { throw .addressInUse(address.description) }
        throw .system("cannot listen on \(address): \(describe(systemError: number))")
    }

    private func startPolling() {
        uv_poll_start(raw(), Int32(UV_READABLE.rawValue), listenerIsReady)
    }

    fileprivate func acceptWaiting() {
        for _ in 0..<UVListener.acceptsPerTurn where state == .open && loop.pollBudget.mayRead {
            var accepted: Int32 = -1
            let peer = ResolvedAddress { address, length in
                accepted = Glibc.accept(socket, address, length)
                return accepted >= 0
            }
            if accepted >= 0 {
                _ = fcntl(accepted, F_SETFD, FD_CLOEXEC)
                let name = peer?.socketAddress?.description ?? "unknown"
                loop.pollBudget.accept()
                incoming?(UVIncoming(socket: accepted, peer: name))
            } else if !mayRetry(after: errno) {
                return
            }
        }
    }

    /// Whether another call of `accept` may succeed after one failed.
    private func mayRetry(after error: Int32) -> Bool {
        switch error {
        case EAGAIN: return false
        // Only that one connection failed, and it is gone.
        case ECONNABORTED, EINTR, EPROTO: return true
        default:
            // Most likely there are too many open files. The connection stays in the system's
            // queue, so the poll would report it again and again.
            uv_poll_stop(raw())
            retry = loop.schedule(afterMilliseconds: UVListener.retryDelayMilliseconds) {
                [weak self] in
                guard let self, state == .open else { return }
                startPolling()
            }
            return false
        }
    }

    override func close() {
        guard state == .open else { return }
        retry?.cancel()
        super.close()
        Glibc.close(socket)
    }

    override func didClose() {
        // The closure may retain the listener.
        incoming = nil
    }
}

/// A socket that was accepted and that no loop polls yet.
private final class UVIncoming: IncomingStream {
    private let peer: String
    /// The socket, until it is taken.
    private let socket: Atomic<Int32>

    init(socket: Int32, peer: String) {
        self.socket = Atomic(socket)
        self.peer = peer
    }

    deinit {
        let left = socket.load(ordering: .relaxed)
        if left >= 0 { Glibc.close(left) }
    }

    func take(on loop: any EventLoop, _ accept: (any ByteStream) -> Void) {
        guard let loop = loop as? UVLoop, !loop.isStopping else { return }
        let taken = socket.exchange(-1, ordering: .acquiringAndReleasing)
        guard taken >= 0,
            let stream = try? UVStream(taking: taken, on: loop, peer: peer)
        else { return }
        accept(stream)
        if stream.isUnused { stream.close() }
    }
}

private func listenerIsReady(
    _ raw: UnsafeMutablePointer<uv_poll_t>?, _ status: Int32, _ events: Int32
) {
    Handle.of(raw?.pointee.data, as: UVListener.self)?.acceptWaiting()
}
