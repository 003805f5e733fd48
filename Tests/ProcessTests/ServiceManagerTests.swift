import Foundation
import Glibc
import SyncIO
import SyncServer
import Testing

@testable import collsync

extension ProcessTests {
    /// The notices that a server sends to its service manager.
    @Suite struct ServiceManagerTests {
        @Test(arguments: [false, true])
        func theManagerHearsOfEachChange(isAbstract: Bool) throws {
            let folder = try TemporaryFolder()
            let notices = try NoticeSocket(
                named: isAbstract ? "@collsync-\(UUID().uuidString)" : folder.path("notices"))
            let server = try SecuredServer(
                ["--threads", "3"],
                environment: ["NOTIFY_SOCKET": notices.name, "WATCHDOG_USEC": "200000"])
            let listening = "listening on \(server.address)"
            #expect(try notices.nextChange() == ["READY": "1", "STATUS": listening])
            for _ in 0..<5 { #expect(try notices.next() == ["WATCHDOG": "1"]) }

            var before = timespec()
            clock_gettime(CLOCK_MONOTONIC, &before)
            server.process.send(signal: SIGHUP)
            let reloading = try notices.nextChange()
            #expect(reloading["RELOADING"] == "1")
            let time = try #require(reloading["MONOTONIC_USEC"].flatMap { Int($0) })
            var after = timespec()
            clock_gettime(CLOCK_MONOTONIC, &after)
            #expect(time >= before.tv_sec * 1_000_000 + before.tv_nsec / 1000)
            #expect(time <= after.tv_sec * 1_000_000 + after.tv_nsec / 1000)
            #expect(try notices.nextChange() == ["READY": "1", "STATUS": listening])
            try server.process.logLine(with: "the certificates are read again")

            #expect(try server.process.terminate() == .exit(0))
            #expect(try notices.nextChange()["STOPPING"] == "1")
            // It may have shown another sign of life before it ended.
            while notices.hasNotice(within: 0) {
                #expect(try notices.next() == ["WATCHDOG": "1"])
            }
        }

        /// A reload before the server listens, or while it ends, does not make it ready.
        @Test func aServerIsReadyOnlyWhileItListens() throws {
            let folder = try TemporaryFolder()
            let notices = try NoticeSocket(named: folder.path("notices"))
            let manager = ServiceManager(log: NoLog()) {
                $0 == "NOTIFY_SOCKET" ? notices.name : nil
            }
            manager.reload {}
            #expect(!notices.hasNotice(within: 0))
            manager.serverListens(on: SocketAddress(host: "127.0.0.1", port: 1))
            #expect(try notices.next()["READY"] == "1")
            manager.reload { manager.serverEnds() }
            #expect(try notices.next()["RELOADING"] == "1")
            #expect(try notices.next()["STOPPING"] == "1")
            manager.reload {}
            manager.serverListens(on: SocketAddress(host: "127.0.0.1", port: 1))
            #expect(!notices.hasNotice(within: 0))
        }

        /// A service manager that reads nothing delays nobody. It gets the notices that matter as
        /// soon as it reads.
        @Test func aManagerThatDoesNotReadBlocksNothing() throws {
            let folder = try TemporaryFolder()
            let notices = try NoticeSocket(named: folder.path("notices"))
            let count = try notices.fill()
            let server = try ServerProcess(
                environment: ["NOTIFY_SOCKET": notices.name, "WATCHDOG_USEC": "2000"])
            let member = try JoinProcess("member", room: "room1", at: server.address)
            for _ in 0..<10 {
                server.send(signal: SIGHUP)
                try server.logLine(with: "there are no certificates or keys to read again")
            }
            try member.insertAnother()
            for _ in 0..<count { #expect(try notices.next() == ["X": "1"]) }
            #expect(try notices.next()["READY"] == "1")
            #expect(try member.finish() == .exit(0))
            #expect(try server.terminate() == .exit(0))
        }

        /// Another process is watched, or none.
        @Test(arguments: [["WATCHDOG_USEC": "2000", "WATCHDOG_PID": "1"], [:]])
        func aServerThatIsNotWatchedShowsNoSignsOfLife(environment: [String: String]) throws {
            let folder = try TemporaryFolder()
            let notices = try NoticeSocket(named: folder.path("notices"))
            let server = try ServerProcess(
                environment: environment.merging(["NOTIFY_SOCKET": notices.name]) { $1 })
            #expect(try notices.next()["READY"] == "1")
            #expect(try server.terminate() == .exit(0))
            #expect(try notices.next()["STOPPING"] == "1")
            #expect(!notices.hasNotice(within: 0))
        }

        @Test(arguments: [
            ["NOTIFY_SOCKET": "notices"], ["NOTIFY_SOCKET": "@"], ["NOTIFY_SOCKET": ""],
            ["NOTIFY_SOCKET": "/" + String(repeating: "x", count: 107)],
            ["WATCHDOG_USEC": "0"], ["WATCHDOG_USEC": "1s"], ["WATCHDOG_USEC": "-1"],
            ["WATCHDOG_USEC": "18446744073709551615"],
            ["WATCHDOG_USEC": "1000", "WATCHDOG_PID": "me"],
        ])
        func wrongVariablesAreIgnored(wrong: [String: String]) throws {
            let folder = try TemporaryFolder()
            let notices = try NoticeSocket(named: folder.path("notices"))
            let server = try ServerProcess(
                environment: ["NOTIFY_SOCKET": notices.name].merging(wrong) { $1 })
            let line = try server.logLine(with: "a variable of the service manager is ignored")
            let name = try #require(
                wrong.keys.sorted().last { $0 != "WATCHDOG_USEC" || wrong.count == 1 })
            #expect(line.contains(name), "\(line)")
            #expect(try server.terminate() == .exit(0))
        }

        @Test func anAbsentManagerIsLogged() throws {
            let folder = try TemporaryFolder()
            let server = try ServerProcess(environment: ["NOTIFY_SOCKET": folder.path("nothing")])
            try server.logLine(with: "the service manager can't be reached")
            #expect(try server.terminate() == .exit(0))
        }
    }
}

private struct NoLog: ServerLog {
    func log(
        _ level: ServerLogLevel, _ message: String, _ details: KeyValuePairs<String, String>
    ) {}
}
