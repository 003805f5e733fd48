import Foundation
import Glibc

/// The socket of a service manager, on which it receives notices from a process.
final class NoticeSocket {
    /// The value of `NOTIFY_SOCKET`.
    let name: String
    private let descriptor: Int32

    /// - Parameter name: a path, or `@` and an abstract name.
    init(named name: String) throws {
        self.name = name
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var limit = timeval(tv_sec: Int(Deadline.usual), tv_usec: 0)
        let size = socklen_t(MemoryLayout<timeval>.size)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, size)
        guard use(bind) == 0 else { throw TestFailure("could not bind \(name): error \(errno)") }
    }

    deinit {
        close(descriptor)
    }

    /// The next notice: its lines, as names and values.
    func next() throws -> [String: String] {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        guard count >= 0 else { throw TestFailure("no notice came: error \(errno)") }
        let lines = String(decoding: buffer[..<count], as: UTF8.self).split(separator: "\n")
        return Dictionary(
            uniqueKeysWithValues: lines.map { line in
                let parts = line.split(separator: "=", maxSplits: 1)
                return (String(parts[0]), parts.count > 1 ? String(parts[1]) : "")
            })
    }

    /// The next notice that is no sign of life.
    func nextChange() throws -> [String: String] {
        while true {
            let notice = try next()
            if notice != ["WATCHDOG": "1"] { return notice }
        }
    }

    /// Whether a notice comes within this time.
    func hasNotice(within milliseconds: Int32) -> Bool {
        var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&request, 1, milliseconds) > 0
    }

    /// Sends notices to itself until it takes no more, and returns their number.
    func fill() throws -> Int {
        let sender = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        defer { close(sender) }
        guard withDescriptor(sender, connect) == 0 else {
            throw TestFailure("could not connect to \(name): error \(errno)")
        }
        var count = 0
        while send(sender, "X=1", 3, Int32(MSG_DONTWAIT)) == 3 { count += 1 }
        return count
    }

    private func use(_ call: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
        withDescriptor(descriptor, call)
    }

    /// Calls a function of the system with a descriptor and this socket's address.
    private func withDescriptor(
        _ descriptor: Int32, _ call: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        var path = Array(name.utf8)
        if path.first == UInt8(ascii: "@") { path[0] = 0 } else { path.append(0) }
        let bytes = withUnsafeBytes(of: sa_family_t(AF_UNIX)) { Array($0) } + path
        return bytes.withUnsafeBytes { buffer in
            guard let address = buffer.assumingMemoryBound(to: sockaddr.self).baseAddress else {
                return -1
            }
            return call(descriptor, address, socklen_t(buffer.count))
        }
    }
}
