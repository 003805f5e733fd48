import Glibc

/// A plain TCP connection to a server on this machine; every call has a deadline.
final class RawSocket {
    private let descriptor: Int32

    /// - Parameters:
    ///   - receiveBufferBytes: how much the system receives ahead of the test, if not as usual.
    ///   - source: this machine's address to connect from, `127.0.0.1` and up.
    init(port: UInt16, receiveBufferBytes: Int32? = nil, from source: UInt32? = nil) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var limit = timeval(tv_sec: Int(Deadline.usual), tv_usec: 0)
        let size = socklen_t(MemoryLayout<timeval>.size)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, size)
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, size)
        if var bytes = receiveBufferBytes {
            let size = socklen_t(MemoryLayout<Int32>.size)
            setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &bytes, size)
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        if let source {
            var own = sockaddr_in()
            own.sin_family = sa_family_t(AF_INET)
            own.sin_addr.s_addr = source.bigEndian
            let result = withUnsafePointer(to: &own) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
            guard result == 0 else { throw TestFailure("could not bind: error \(errno)") }
        }
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else { throw TestFailure("could not connect to \(port): error \(errno)") }
    }

    deinit {
        close(descriptor)
    }

    /// Sends bytes; bytes that the other side no longer accepts, because it has closed, are
    /// dropped.
    func send(_ bytes: [UInt8]) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count < 0, errno == EINTR { continue }
            if count < 0, errno == EPIPE || errno == ECONNRESET { return }
            guard count > 0 else { throw TestFailure("sending failed: error \(errno)") }
            rest = rest.dropFirst(count)
        }
    }

    /// Closes the sending side.
    func finishSending() {
        shutdown(descriptor, Int32(SHUT_WR))
    }

    /// The next bytes; none once the other side has closed.
    func receive() throws -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            if count >= 0 { return Array(buffer[..<count]) }
            if errno == ECONNRESET { return [] }
            guard errno == EINTR else {
                throw TestFailure("nothing came, and the connection stays open: error \(errno)")
            }
        }
    }

    /// Whether bytes have come, or the other side has closed, within this time.
    func hasInput(within milliseconds: Int32) -> Bool {
        var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&request, 1, milliseconds) > 0
    }

    /// Receives and drops bytes until the other side has closed.
    func receiveUntilClosed() throws {
        while try !receive().isEmpty {}
    }
}
