import Foundation
import TLSSupport

/// A real proxy that speaks TLS before a server, with the file that `deploy` offers for it. Only
/// ports and paths are the test's own.
final class ProxyProcess {
    enum Program: String, CaseIterable {
        case haproxy, nginx
    }

    /// The server's options for this proxy.
    static func serverOptions(_ program: Program) -> [String] {
        let way = program == .haproxy ? ["--proxy-protocol"] : ["--trust-proxy", "127.0.0.1"]
        return way + ["--trusted", "127.0.0.1"]
    }

    let authority: TestAuthority
    private let folder: TemporaryFolder
    private let webPort: UInt16
    private let framesPort: UInt16
    private let process: ChildProcess

    private static let deploy = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../deploy").standardized

    /// Starts a proxy, and waits until it takes connections.
    init(_ program: Program, before server: ServerProcess) throws {
        authority = try TestAuthority()
        folder = try TemporaryFolder()
        let (web, frames) = (try FreePort.find(), try FreePort.find())
        (webPort, framesPort) = (web, frames)
        let issued = try authority.issue("proxy", for: TestAuthority.hosts)
        let certificate = try String(contentsOfFile: issued.certificate, encoding: .utf8)
        let key = try String(contentsOfFile: issued.key, encoding: .utf8)
        let both = try folder.write(certificate + key, to: "collsync.pem")
        let file: String
        switch program {
        case .haproxy:
            file = try ProxyProcess.text(of: "haproxy.cfg") { text in
                // Each connection needs two files, of which a test may open few.
                try text.put("maxconn 200", for: "maxconn 20000")
                try text.put("bind 127.0.0.1:\(web)", for: "bind :443")
                try text.put("bind 127.0.0.1:\(frames)", for: "bind :7443")
                try text.put(both, for: "/etc/haproxy/collsync.pem")
                try text.put("127.0.0.1:\(server.httpPort ?? 0)", for: "127.0.0.1:7421")
                try text.put("127.0.0.1:\(server.port)", for: "127.0.0.1:7420")
            }
        case .nginx:
            file = try ProxyProcess.text(of: "nginx.conf") { text in
                try text.put("listen 127.0.0.1:\(web)", for: "listen 443")
                try text.put(both, for: "/etc/nginx/collsync.pem")
                try text.put(issued.key, for: "/etc/nginx/collsync.key")
                try text.put("127.0.0.1:\(server.httpPort ?? 0)", for: "127.0.0.1:7421")
            }
        }
        let path = try folder.write(file, to: "proxy")
        process = try ProxyProcess.start(program, path, in: folder)
        try FreePort.waitForListener(on: webPort, of: process)
    }

    /// Where programs find the server's HTTP.
    var base: String { "https://localhost:\(webPort)" }

    /// Where a client finds the server: its WebSocket, or its frames.
    func options(byFrames: Bool = false) -> [String] {
        let server = byFrames ? "localhost:\(framesPort)" : "wss://localhost:\(webPort)"
        return ["--server", server, "--tls-ca", authority.file]
    }

    private static func text(
        of name: String, _ change: (inout String) throws -> Void
    ) throws -> String {
        var text = try String(contentsOf: deploy.appending(path: name), encoding: .utf8)
        try change(&text)
        return text
    }

    private static func start(
        _ program: Program, _ path: String, in folder: TemporaryFolder
    ) throws -> ChildProcess {
        let executable = URL(filePath: "/usr/sbin/\(program.rawValue)")
        guard FileManager.default.isExecutableFile(atPath: executable.path) else {
            throw TestFailure("there is no \(executable.path): apt-get install \(program.rawValue)")
        }
        if program == .haproxy { return try ChildProcess(executable, ["-db", "-f", path]) }
        // What Debian's own file says beside the server, for a single process.
        let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map {
            "\($0)_temp_path \(folder.path($0));"
        }
        let main = try folder.write(
            """
            daemon off; master_process off; pid \(folder.path("pid")); error_log stderr;
            events {}
            http { access_log off; \(temporary.joined(separator: " ")) include \(path); }
            """, to: "nginx.conf")
        return try ChildProcess(executable, ["-c", main, "-e", "stderr"])
    }
}

extension String {
    /// Replaces a text that must be there.
    fileprivate mutating func put(_ new: String, for old: String) throws {
        guard contains(old) else { throw TestFailure("the file has no '\(old)'") }
        replace(old, with: new)
    }
}

/// Ports for programs that can't choose one by themselves.
enum FreePort {
    /// A port that nobody listens on. The system gives others first for a while.
    static func find() throws -> UInt16 { try ActivatedSocket().port }

    /// Waits until a program takes connections.
    static func waitForListener(on port: UInt16, of process: ChildProcess) throws {
        guard Deadline.isReached(by: { (try? RawSocket(port: port)) != nil }) else {
            throw TestFailure("nobody listens on \(port): \(process.transcript)")
        }
    }
}
