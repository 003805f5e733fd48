import Glibc
import Testing

extension ProcessTests {
    /// HAProxy and nginx before a server, as `deploy/haproxy.cfg` and `deploy/nginx.conf` have it.
    @Suite struct ProxyTests {
        private let classes: PythonClasses

        init() throws {
            classes = try PythonClasses(with: ["websockets", "aiohttp"])
        }

        private func server(
            for program: ProxyProcess.Program, _ options: [String] = []
        ) throws -> ServerProcess {
            try ServerProcess(ProxyProcess.serverOptions(program) + options, speaksHTTP: true)
        }

        private func start(_ program: String, _ arguments: [String]) throws -> ChildProcess {
            try classes.start(program, in: "WebClients", arguments)
        }

        /// HTTP, server-sent events and WebSockets, and pages of the proxy's own origin.
        @Test(arguments: ProxyProcess.Program.allCases)
        func librariesUseIt(program: ProxyProcess.Program) throws {
            let server = try server(for: program)
            let proxy = try ProxyProcess(program, before: server)
            let libraries = try start("libraries.py", [proxy.base, proxy.authority.file])
            #expect(try libraries.wait() == .exit(0), "\(libraries.transcript)")
        }

        /// The server is drained and started again under load, and killed once. Clients connect
        /// again by themselves, and a reader of events misses none.
        @Test(arguments: ProxyProcess.Program.allCases)
        func restartsLoseNothing(program: ProxyProcess.Program) throws {
            let server = try server(for: program)
            let proxy = try ProxyProcess(program, before: server)
            var loads = [
                try WriteLoad(["a", "b"], room: "room1", at: server, proxy.options())
            ]
            if program == .haproxy {
                loads.append(
                    try WriteLoad(
                        ["a", "b"], room: "room2", at: server, proxy.options(byFrames: true)))
            }
            let follower = try start(
                "follower.py", [proxy.base, "room1", proxy.authority.file])
            for ending in [SIGTERM, SIGKILL, SIGTERM] {
                for load in loads { try load.run(untilAcknowledged: 60) }
                if ending == SIGTERM {
                    #expect(try server.terminate() == .exit(0), "\(server.transcript)")
                } else {
                    try server.kill()
                }
                try server.restart()
                for load in loads {
                    try load.runUntilAllAreServed()
                    let exported = try server.export(load.room, proxy.options())
                    #expect(load.missing(in: exported) == [])
                }
            }
            for load in loads { #expect(try load.findings(at: server) == []) }
            let last = try server.export("room1", proxy.options()).revision
            try expectAllRevisions(until: last, from: follower)
            #expect(try server.terminate() == .exit(0))
            let verified = try CommandResult.server(["verify", server.data])
            #expect(verified.ending == .exit(0), "\(verified)")
        }

        /// Checks that each event of a reader begins where the one before has ended.
        private func expectAllRevisions(until last: Int, from follower: ChildProcess) throws {
            var revision = -1
            while revision < last {
                let line = try #require(try follower.output.next(), "\(follower.transcript)")
                let ends = line.split(separator: " ").compactMap { Int($0) }
                try #require(ends.count == 2, "\(line)")
                #expect(ends[0] == -1 || ends[0] == revision, "\(line) behind \(revision)")
                #expect(ends[1] >= revision)
                revision = ends[1]
            }
            #expect(revision == last)
        }

        /// Limits by address count for the address that the proxy tells, and not for its own.
        @Test(arguments: ProxyProcess.Program.allCases)
        func addressesCount(program: ProxyProcess.Program) throws {
            let server = try server(for: program, ["--max-address-connections", "2"])
            let proxy = try ProxyProcess(program, before: server)
            for address in ["127.0.0.8", "127.0.0.9"] {
                let streams = try start(
                    "addresses.py", [proxy.base, address, "3", proxy.authority.file])
                #expect(try streams.wait() == .exit(0), "\(streams.transcript)")
                #expect(try streams.output.all() == ["200", "200", "429"])
            }
        }
    }
}
