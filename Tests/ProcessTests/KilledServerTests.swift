import Glibc
import Testing

extension ProcessTests {
    @Suite struct KilledServerTests {
        /// The server is killed twenty times while three clients write. What it had acknowledged is
        /// there each time, the clients go on by themselves, and in the end all is there exactly
        /// once.
        @Test func nothingIsLostOrDoneTwice() throws {
            let server = try ServerProcess()
            let load = try WriteLoad(["a", "b", "c"], room: "room1", at: server)
            for _ in 0..<20 {
                try load.run(untilAcknowledged: 60)
                try server.kill()
                try server.restart()
                // Who holds a connection for longer than the wait for it waits less the next time.
                try load.runUntilAllAreServed()
                #expect(load.missing(in: try server.export("room1")) == [])
            }
            try load.run(untilAcknowledged: 60)
            let findings = try load.findings(at: server)
            #expect(findings == [])
            #expect(try server.terminate() == .exit(0))
            let verified = try CommandResult.server(["verify", server.data])
            #expect(verified.ending == .exit(0), "\(verified)")
        }

        /// A store is whole as a kill leaves it, before any server has opened it again.
        @Test func storeIsWholeAfterAKill() throws {
            let server = try ServerProcess()
            let load = try WriteLoad(["a", "b", "c"], room: "room1", at: server)
            try load.run(untilAcknowledged: 200)
            try server.kill()
            let verified = try CommandResult.server(["verify", server.data])
            #expect(verified.ending == .exit(0), "\(verified)")
            try server.restart()
            let findings = try load.findings(at: server)
            #expect(findings == [])
        }

        /// Asked to end, the server finishes what it has received and ends well; clients go on
        /// later.
        @Test(arguments: [SIGTERM, SIGINT])
        func drainLosesNothing(signal: Int32) throws {
            let server = try ServerProcess()
            let load = try WriteLoad(["a", "b", "c"], room: "room1", at: server)
            for _ in 0..<2 {
                try load.run(untilAcknowledged: 200)
                #expect(try server.terminate(with: signal) == .exit(0), "\(server.transcript)")
                for client in load.clients { try client.readAvailable() }
                try server.restart()
                #expect(load.missing(in: try server.export("room1")) == [])
            }
            try load.run(untilAcknowledged: 200)
            let findings = try load.findings(at: server)
            #expect(findings == [])
        }
    }
}
