import Foundation
import Glibc

/// A socket that a service manager opens and passes to each server that it starts.
final class ActivatedSocket {
    /// What the socket is.
    enum Kind: CaseIterable {
        case listening, datagrams, notListening, local, pipe
    }

    let descriptor: Int32
    let port: UInt16

    /// - Parameter host: this machine's address to listen on.
    init(_ kind: Kind = .listening, host: UInt32 = 0x7F00_0001) throws {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = host.bigEndian
        let type = kind == .datagrams ? SOCK_DGRAM : SOCK_STREAM
        let family = kind == .local ? AF_UNIX : AF_INET
        var pipes: [Int32] = [-1, -1]
        if kind == .pipe { pipe(&pipes) }
        let descriptor =
            kind == .pipe ? pipes[0] : socket(family, Int32(type.rawValue), 0)
        if kind == .pipe { close(pipes[1]) }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        self.descriptor = descriptor
        guard family == AF_INET, kind != .pipe else {
            // A local socket gets an abstract name of its own.
            var family = sa_family_t(AF_UNIX)
            if kind == .local {
                _ = withUnsafePointer(to: &family) { pointer in
                    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                        bind(descriptor, $0, socklen_t(MemoryLayout<sa_family_t>.size))
                    }
                }
                listen(descriptor, 8)
            }
            port = 0
            return
        }
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, size) == 0 && getsockname(descriptor, $0, &size) == 0
            }
        }
        guard result, kind != .listening || listen(descriptor, 4096) == 0 else {
            throw TestFailure("could not listen: error \(errno)")
        }
        port = UInt16(bigEndian: address.sin_port)
    }

    deinit {
        close(descriptor)
    }

    /// Starts a program that gets the sockets as systemd passes them.
    ///
    /// - Parameters:
    ///   - environment: variables that replace those of the protocol.
    ///   - launcher: a command that becomes the server, with its arguments.
    static func start(
        _ arguments: [String], with sockets: [ActivatedSocket],
        environment: [String: String] = [:], launcher: [String] = []
    ) throws -> ChildProcess {
        let variables = ["LISTEN_FDS": "\(sockets.count)"].merging(environment) { $1 }
        // The variable names the process that the shell becomes.
        return try ChildProcess(
            URL(filePath: "/bin/sh"),
            [
                "-c", #"export LISTEN_PID="${LISTEN_PID:-$$}"; exec "$@""#, "sh",
            ] + launcher + [Program.server.path] + arguments, environment: variables,
            inheriting: sockets.map(\.descriptor))
    }
}
