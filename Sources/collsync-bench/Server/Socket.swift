import CBenchmark
import Glibc

/// A TCP connection of the load generator to a port of this machine.
class Socket {
    let descriptor: Int32
    /// The connection that this one is on; it closes the descriptor.
    private let lower: Socket?

    /// How many seconds the other side may take to answer before the benchmark gives up.
    static let patienceSeconds = 20

    /// - Parameters:
    ///   - host: the last byte of this end's address, 127.0.0.`host`.
    ///   - patienceSeconds: how long the other side may take to answer.
    init(
        port: UInt16, from host: UInt8 = 1, patienceSeconds: Int = Socket.patienceSeconds
    ) throws {
        lower = nil
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        if host != 1 { try Socket.bind(descriptor, to: host) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let isConnected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        guard isConnected else { throw BenchError("cannot connect to port \(port)") }
        var yes: Int32 = 1
        setsockopt(
            descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &yes,
            socklen_t(MemoryLayout<Int32>.size))
        var patience = timeval(tv_sec: patienceSeconds, tv_usec: 0)
        setsockopt(
            descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience,
            socklen_t(MemoryLayout<timeval>.size))
    }

    /// A connection on another one, for a class that sends and receives through that.
    init(over lower: Socket) {
        self.lower = lower
        descriptor = lower.descriptor
    }

    private static func bind(_ descriptor: Int32, to host: UInt8) throws {
        var own = sockaddr_in()
        own.sin_family = sa_family_t(AF_INET)
        own.sin_addr.s_addr = (0x7F00_0000 | UInt32(host)).bigEndian
        let isBound = withUnsafePointer(to: &own) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        guard isBound else { throw BenchError("cannot connect from 127.0.0.\(host)") }
    }

    deinit {
        if lower == nil { close(descriptor) }
    }

    /// Sends everything, and waits when it must.
    func send(_ bytes: UnsafeRawBufferPointer) throws {
        var rest = bytes
        while !rest.isEmpty {
            let count = try sendSome(rest)
            if count == 0 { throw BenchError("a connection takes nothing") }
            rest = UnsafeRawBufferPointer(rebasing: rest[count...])
        }
    }

    /// Sends as much as the system accepts.
    func sendSome(_ bytes: UnsafeRawBufferPointer) throws -> Int {
        let count = Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
        if count >= 0 { return count }
        guard errno == EAGAIN else { throw BenchError("a connection is lost: \(errorText())") }
        return 0
    }

    /// Receives what has arrived. Empty if nothing has and the socket does not block.
    func receive(into memory: UnsafeMutableRawBufferPointer) throws -> UnsafeRawBufferPointer {
        let count = recv(descriptor, memory.baseAddress, memory.count, 0)
        if count > 0 { return UnsafeRawBufferPointer(rebasing: memory[..<count]) }
        if count == 0 { throw BenchError("the other side has closed a connection") }
        guard errno == EAGAIN else { throw BenchError("a connection is lost: \(errorText())") }
        return UnsafeRawBufferPointer(rebasing: memory[..<0])
    }

    /// Makes sending and receiving return at once from now on.
    func stopWaiting() {
        let flags = fcntl(descriptor, F_GETFL)
        _ = fcntl(descriptor, F_SETFL, flags | O_NONBLOCK)
    }

    private func errorText() -> String {
        String(cString: strerror(errno))
    }
}

/// A set of sockets. It waits until some are readable.
final class SocketSet {
    private let descriptor = epoll_create1(0)
    private var events = [epoll_event](repeating: epoll_event(), count: 256)

    deinit {
        close(descriptor)
    }

    /// Adds a socket under a number.
    func add(_ socket: Socket, as number: Int) throws {
        var event = epoll_event()
        event.events = EPOLLIN.rawValue
        event.data.u64 = UInt64(number)
        guard epoll_ctl(descriptor, EPOLL_CTL_ADD, socket.descriptor, &event) == 0 else {
            throw BenchError("cannot wait for a connection")
        }
    }

    /// Waits until some sockets are readable, and calls `body` with their numbers.
    func wait(milliseconds: Int32, _ body: (Int) throws -> Void) throws {
        let count = epoll_wait(descriptor, &events, Int32(events.count), milliseconds)
        guard count > 0 else { return }
        for index in 0..<Int(count) { try body(Int(events[index].data.u64)) }
    }
}
