import Glibc
import Testing

extension ProcessTests {
    @Suite struct KilledServerTests {
        /// The server is killed twenty times while three clients write. Each time all acknowledged
        /// transactions are in the room, and the clients continue by themselves. In the end every
        /// transaction is applied exactly once.
        @Test func nothingIsLostOrDoneTwice() throws {
            let server = try ServerProcess()
            let load = try WriteLoad(["a", "b", "c"], room: "room1", at: server)
            for _ in 0..<20 {
                try load.run(untilAcknowledged: 60)
                try server.kill()
                try server.restart()
                // Waiting until all are served keeps the back-off of each client short for the next
                // kill.
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

        /// A killed server leaves a valid store, even before another server opens it.
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

        /// A server that is asked to end answers what it has received and exits cleanly; clients
        /// resume later.
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
