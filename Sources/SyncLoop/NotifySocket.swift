import Glibc
package import SyncIO

/// The socket on which a service manager, such as systemd, receives notices from this process.
///
/// The protocol is that of `sd_notify(3)`: a notice is one datagram with lines `NAME=VALUE`.
/// Sending never waits, so a service manager that reads nothing can't block the process.
package final class NotifySocket: Sendable {
    /// What became of a notice.
    package enum Outcome: Equatable, Sendable {
        case sent
        /// The service manager has not read earlier notices yet. A later attempt may succeed.
        case full
        /// The notice can't be sent. The text says why.
        case failed(String)
    }

    private let descriptor: Int32
    /// The service manager's address, as the system has it in memory.
    private let address: [UInt8]

    /// - Parameter name: the value of `NOTIFY_SOCKET`: an absolute path, or `@` and an abstract
    ///   name.
    /// - Throws: ``IOError/system(_:)`` if it is neither, or if there can't be another socket.
    package init(named name: String) throws(IOError) {
        guard let address = NotifySocket.address(named: name) else {
            throw .system("it is no absolute path, and no @ with an abstract name")
        }
        self.address = address
        let type = Int32(SOCK_DGRAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        descriptor = socket(AF_UNIX, type, 0)
        guard descriptor >= 0 else {
            throw .system("cannot make a socket: \(describe(systemError: errno))")
        }
    }

    deinit {
        close(descriptor)
    }

    /// A `sockaddr_un`, cut behind the name; `nil` if the name can't be one.
    private static func address(named name: String) -> [UInt8]? {
        var path = Array(name.utf8)
        let longest = MemoryLayout<sockaddr_un>.size - MemoryLayout<sa_family_t>.size
        switch path.first {
        case UInt8(ascii: "@"): path[0] = 0
        // The system wants a zero behind a path, and none behind an abstract name.
        case UInt8(ascii: "/"): path.append(0)
        default: return nil
        }
        guard path.count > 1, path.count <= longest else { return nil }
        return withUnsafeBytes(of: sa_family_t(AF_UNIX)) { Array($0) } + path
    }

    /// Sends a notice.
    package func send(_ notice: String) -> Outcome {
        let flags = Int32(MSG_DONTWAIT | MSG_NOSIGNAL)
        let bytes = Array(notice.utf8)
        let sent = address.withUnsafeBytes { address in
            sendto(
                descriptor, bytes, bytes.count, flags,
                address.assumingMemoryBound(to: sockaddr.self).baseAddress,
                socklen_t(address.count))
        }
        if sent >= 0 { return .sent }
        switch errno {
        case EAGAIN, EINTR, ENOBUFS: return .full
        case let number: return .failed(describe(systemError: number))
        }
    }
}

/// The clock whose time systemd expects in a notice about reloading, in microseconds.
package func monotonicMicroseconds() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000 + UInt64(time.tv_nsec) / 1000
}
