import Glibc
package import SyncIO
import Synchronization

/// A listening socket that a service manager opened and that this process inherited.
///
/// The protocol is that of `sd_listen_fds(3)`: `LISTEN_FDS` is the number of descriptors, from 3
/// on, `LISTEN_PID` the process that they are for, and `LISTEN_FDNAMES` their names with colons
/// between them.
package final class InheritedPort: OpenPort {
    private static let firstDescriptor: Int32 = 3
    private static let maximumCount = 1024

    /// Its name; empty if the service manager named none.
    package let name: String
    package let address: SocketAddress
    /// The socket, until it is taken.
    private let socket: Atomic<Int32>

    private init(_ socket: Int32, name: String) throws(IOError) {
        try InheritedPort.check(socket)
        guard let address = UVListener.boundAddress(of: socket) else {
            throw .system("it has no address")
        }
        _ = fcntl(socket, F_SETFD, FD_CLOEXEC)
        _ = fcntl(socket, F_SETFL, fcntl(socket, F_GETFL) | O_NONBLOCK)
        self.name = name
        self.address = address
        self.socket = Atomic(socket)
    }

    deinit {
        let left = socket.load(ordering: .relaxed)
        if left >= 0 { close(left) }
    }

    /// The ports that this process inherited. Called at most once.
    ///
    /// - Parameter variable: the value of a variable of the environment.
    /// - Throws: ``IOError/system(_:)`` if a variable is wrong, or a descriptor is no listening TCP
    ///   socket.
    package static func all(
        variable: (String) -> String?
    ) throws(IOError) -> [InheritedPort] {
        guard let process = variable("LISTEN_PID"), let count = variable("LISTEN_FDS") else {
            return []
        }
        guard let process = Int32(process), process > 0 else {
            throw .system("LISTEN_PID is '\(process)', which is no number of a process")
        }
        // The descriptors are for a parent of this process.
        guard process == getpid() else { return [] }
        guard let number = Int(count), (0...maximumCount).contains(number) else {
            throw .system("LISTEN_FDS is '\(count)', which is no number of descriptors")
        }
        let names = variable("LISTEN_FDNAMES").map {
            $0.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        }
        guard names.map({ $0.count == number }) ?? true else {
            throw .system("LISTEN_FDNAMES has not as many names as there are descriptors")
        }
        var ports: [InheritedPort] = []
        for index in 0..<number {
            let descriptor = firstDescriptor + Int32(index)
            do throws(IOError) {
                ports.append(try InheritedPort(descriptor, name: names?[index] ?? ""))
            } catch {
                throw .system("descriptor \(descriptor) is no port to listen on: \(error)")
            }
        }
        return ports
    }

    private static func check(_ socket: Int32) throws(IOError) {
        let family = try option(SO_DOMAIN, of: socket)
        guard family == AF_INET || family == AF_INET6,
            try option(SO_TYPE, of: socket) == Int32(SOCK_STREAM.rawValue)
        else { throw .system("it is no TCP socket") }
        guard try option(SO_ACCEPTCONN, of: socket) != 0 else {
            throw .system("the socket does not listen")
        }
    }

    private static func option(_ name: Int32, of socket: Int32) throws(IOError) -> Int32 {
        var value: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        guard getsockopt(socket, SOL_SOCKET, name, &value, &size) == 0 else {
            throw .system(describe(systemError: errno))
        }
        return value
    }

    package func accept(
        on loop: any EventLoop, incoming: @escaping (any IncomingStream) -> Void
    ) throws(IOError) -> any Listener {
        guard let loop = loop as? UVLoop, !loop.isStopping else {
            throw .system("the loop has stopped")
        }
        let taken = socket.exchange(-1, ordering: .acquiringAndReleasing)
        guard taken >= 0 else { throw .system("the port is listened on already") }
        return try UVListener.poll(taken, address, loop, incoming)
    }
}
