import Foundation
import Glibc
import TLSSupport
import Testing

extension ProcessTests {
    /// The units for systemd. Systemd itself does not run here: its tools read the units, and the
    /// server runs under their limits without it.
    @Suite struct ServiceUnitTests {
        private static let root = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../..").standardized
        private static let filtered = root.appending(path: "deploy/filtered").path

        /// The units in a folder, with the programs that were built with this test.
        private func units() throws -> TemporaryFolder {
            let folder = try TemporaryFolder()
            try FileManager.default.createDirectory(
                atPath: folder.path("collsync.service.d"), withIntermediateDirectories: true)
            for (name, copy) in [
                ("collsync.service", "collsync.service"), ("collsync.socket", "collsync.socket"),
                ("collsync-http.socket", "collsync-http.socket"),
                ("collsync-metrics.socket", "collsync-metrics.socket"),
                ("collsync-tls.conf", "collsync.service.d/tls.conf"),
            ] {
                let unit = try String(
                    contentsOf: Self.root.appending(path: "deploy/\(name)"), encoding: .utf8)
                let program = try Program.server.path
                _ = try folder.write(
                    unit.replacing("/usr/local/bin/collsync", with: program), to: copy)
            }
            return folder
        }

        /// The address sanitizer's options for a filtered program: its check for leaks would need
        /// calls that the filter does not allow.
        private static let withoutLeakCheck =
            (ProcessInfo.processInfo.environment["ASAN_OPTIONS"].map { "\($0):" } ?? "")
            + "detect_leaks=0"

        private func analyze(_ arguments: [String]) throws -> ChildProcess {
            try ChildProcess(URL(filePath: "/usr/bin/env"), ["systemd-analyze"] + arguments)
        }

        @Test func systemdUnderstandsTheUnits() throws {
            let folder = try units()
            let process = try analyze([
                "verify", "--man=no", folder.path("collsync.service"),
                folder.path("collsync.socket"), folder.path("collsync-http.socket"),
                folder.path("collsync-metrics.socket"),
            ])
            #expect(try process.wait() == .exit(0), "\(process.transcript)")
            let named = try process.errors.all().filter { $0.contains("collsync") }
            #expect(named == [])
        }

        /// The page has the rating. It may become better, but not worse.
        @Test func theRatingIsThatOfThePage() throws {
            let page = try String(
                contentsOf: Self.root.appending(path: "deploy/README.md"), encoding: .utf8)
            let shown = try #require(
                page.firstMatch(of: /exposure level of ([0-9]+)\.([0-9])/))
            let folder = try units()
            let process = try analyze([
                "security", "--offline=true", "--no-pager", "--threshold=\(shown.1)\(shown.2)",
                folder.path("collsync.service"),
            ])
            #expect(try process.wait() == .exit(0), "\(process.transcript)")
            #expect(try process.output.all().joined().contains("exposure level"))
        }

        /// A server on the service's socket, with TLS, under the service's filter for system calls,
        /// as another user than root, and in a network of its own. Any other call would end it.
        @Test func theServerNeedsNoOtherCalls() throws {
            let folder = try TemporaryFolder()
            let data = folder.path("data")
            try FileManager.default.createDirectory(
                atPath: data, withIntermediateDirectories: false)
            let authority = try TestAuthority()
            let certificate = try authority.issue("server", for: TestAuthority.hosts)
            let notices = try NoticeSocket(named: folder.path("notices"))
            if geteuid() == 0 {
                for path in [folder.url.path, data, notices.name, certificate.key] {
                    try #require(chown(path, Self.user, Self.user) == 0)
                }
                let keys = URL(filePath: certificate.key).deletingLastPathComponent().path
                try #require(chmod(keys, 0o755) == 0)
            }
            let socket = try ActivatedSocket()
            let server = try ActivatedSocket.start(
                [
                    "serve", "--data", data, "--threads", "2", "--idle-unload", "100ms",
                    "--tls-cert", certificate.certificate, "--tls-key", certificate.key,
                ], with: [socket],
                environment: [
                    "NOTIFY_SOCKET": notices.name, "WATCHDOG_USEC": "100000",
                    "ASAN_OPTIONS": Self.withoutLeakCheck,
                ],
                launcher: try network() + Self.launcher)
            let line = try server.output.next()
            try #require(line != nil, "\(server.transcript)")
            #expect(try notices.nextChange()["READY"] == "1", "\(server.transcript)")
            let address = "127.0.0.1:\(socket.port)"
            for room in ["room1", "room2", "room1"] {
                let member = try JoinProcess(
                    "m", room: room, at: address, ["--tls-ca", authority.file])
                try member.insertAnother()
                #expect(try member.finish() == .exit(0))
                server.send(signal: SIGHUP)
                #expect(try notices.nextChange()["RELOADING"] == "1")
                #expect(try notices.nextChange()["READY"] == "1")
            }
            for _ in 0..<5 { #expect(try notices.next() == ["WATCHDOG": "1"]) }
            let view = try CommandResult.client([
                "--server", address, "--tls-ca", authority.file, "export", "room1",
            ])
            #expect(view.ending == .exit(0), "\(view)")
            server.send(signal: SIGTERM)
            #expect(try server.wait() == .exit(0), "\(server.transcript)")
            let verify = try ChildProcess(
                URL(filePath: "/usr/bin/env"),
                ["ASAN_OPTIONS=\(Self.withoutLeakCheck)"] + Self.launcher
                    + [Program.server.path, "verify", data])
            #expect(try verify.wait() == .exit(0), "\(verify.transcript)")
        }

        /// A user without rights.
        private static let user: uid_t = 65534

        /// Makes a command run under the filter. SQLite calls some functions only for root, which
        /// the service is not.
        private static var launcher: [String] {
            let other = ["setpriv", "--reuid=\(user)", "--regid=\(user)", "--clear-groups", "--"]
            return (geteuid() == 0 ? other : []) + [filtered]
        }

        /// What gives a process a network of its own; nothing, if this system does not allow it.
        private func network() throws -> [String] {
            let own = ["unshare", "--net"]
            let process = try ChildProcess(URL(filePath: "/usr/bin/env"), own + ["true"])
            return try process.wait() == .exit(0) ? own : []
        }

        @Test(arguments: [
            ["chroot", "/", "true"],
            ["python3", "-c", "import mmap; mmap.mmap(-1, 4096, prot=7)"],
        ])
        func otherCallsEndAProgram(command: [String]) throws {
            let process = try ChildProcess(URL(filePath: Self.filtered), command)
            #expect(try process.wait() == .signal(SIGSYS), "\(process.transcript)")
        }
    }
}
