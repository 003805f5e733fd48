import Foundation
import Glibc
import SyncModel
import SyncWire
import Testing

extension ProcessTests {
    /// While the disk fails, the server is not ready, and transactions are refused with a code
    /// that asks for a retry. No acknowledged transaction is lost, and the server recovers with the
    /// disk.
    @Suite struct FailingDiskTests {
        @Test(arguments: FaultyDisk.Fault.allCases)
        func serviceResumes(fault: FaultyDisk.Fault) throws {
            let disk = try FaultyDisk()
            let server = try ServerProcess(environment: disk.environment, speaksHTTP: true)
            let load = try WriteLoad(["a", "b"], room: "room1", at: server)
            let writer = try RoomWriter("room2", at: server)
            try writer.submit(count: 3)
            for _ in 0..<3 {
                try load.run(untilAcknowledged: 60)
                try disk.begin(fault)
                try load.run(untilAcknowledged: 0)
                #expect(try writer.submitOnce() == .unavailable)
                #expect(try readiness(of: server) == "503")
                for client in load.clients { try client.readAvailable() }
                #expect(load.missing(in: try server.export("room1")) == [])
                try disk.end()
                try writer.submit(count: 2)
                #expect(try readiness(of: server) == "200")
            }
            let findings = try load.findings(at: server)
            #expect(findings == [])
            #expect(try server.export("room2").identifiers == writer.written)
            #expect(try server.terminate() == .exit(0))
            try expectSound(server)
        }

        /// The process ends in time, whatever a thread of it does.
        @Test func aServerThatHangsEnds() throws {
            let disk = try FaultyDisk()
            let server = try ServerProcess(environment: disk.environment)
            let writer = try RoomWriter("room1", at: server)
            try writer.submit(count: 3)
            let client = try JoinProcess("b", room: "room1", at: server.address)
            try disk.hang()
            try client.submit([["insert": ["item": ["id": "x"], "to": ["section": "main"]]]])
            try client.readAvailable()
            let watch = ContinuousClock.now
            #expect(try server.terminate() == .exit(0))
            let seconds = watch.duration(to: .now).components.seconds
            #expect(seconds < 30, "it ended after \(seconds) seconds")
            #expect(server.transcript.contains("the server hangs"))
            try disk.end()
            try server.restart()
            #expect(try server.export("room1").identifiers.starts(with: writer.written))
            #expect(try server.terminate() == .exit(0))
            try expectSound(server)
        }

        /// The status of the answer to `/readyz`.
        private func readiness(of server: ServerProcess) throws -> String? {
            let curl = try ChildProcess(
                URL(filePath: "/usr/bin/env"),
                [
                    "curl", "-sS", "-m", "20", "-o", "/dev/null", "-w", "%{http_code}\n",
                    "http://127.0.0.1:\(server.httpPort ?? 0)/readyz",
                ])
            return try curl.output.next()
        }

        /// A server is killed while its disk fails. Transactions that it refused may be stored
        /// nevertheless, and are not applied twice when they are resent.
        @Test(arguments: FaultyDisk.Fault.allCases)
        func killedWhileTheDiskFails(fault: FaultyDisk.Fault) throws {
            let disk = try FaultyDisk()
            let server = try ServerProcess(environment: disk.environment)
            let load = try WriteLoad(["a", "b"], room: "room1", at: server)
            let writer = try RoomWriter("room2", at: server)
            try load.run(untilAcknowledged: 60)
            try writer.submit(count: 3)
            for _ in 0..<3 {
                try disk.begin(fault)
                try load.run(untilAcknowledged: 0)
                #expect(try writer.submitOnce() == .unavailable)
                try server.kill()
                try disk.end()
                for client in load.clients { try client.readAvailable() }
                try expectSound(server)
                try server.restart()
                #expect(load.missing(in: try server.export("room1")) == [])
                try writer.rejoin(at: server)
                try writer.submit(count: 2)
                try load.run(untilAcknowledged: 60)
            }
            let findings = try load.findings(at: server)
            #expect(findings == [])
            #expect(try server.export("room2").identifiers == writer.written)
        }

        /// A server that is asked to end while its disk fails ends cleanly, and clients resume
        /// later.
        @Test(arguments: FaultyDisk.Fault.allCases)
        func drainWhileTheDiskFails(fault: FaultyDisk.Fault) throws {
            let disk = try FaultyDisk()
            let server = try ServerProcess(environment: disk.environment)
            let load = try WriteLoad(["a", "b"], room: "room1", at: server)
            try load.run(untilAcknowledged: 60)
            try disk.begin(fault)
            try load.run(untilAcknowledged: 0)
            #expect(try server.terminate() == .exit(0), "\(server.transcript)")
            try disk.end()
            try expectSound(server)
            try server.restart()
            try load.run(untilAcknowledged: 60)
            let findings = try load.findings(at: server)
            #expect(findings == [])
        }

        /// The same with a disk that is really full.
        @Test(.enabled("nobody may mount a file system here") { SmallDisk.isAvailable })
        func fullDisk() throws {
            let disk = try SmallDisk(mebibytes: 8)
            let server = try ServerProcess(data: disk.path("data"))
            let load = try WriteLoad(["a", "b"], room: "room1", at: server)
            let writer = try RoomWriter("room2", at: server)
            for _ in 0..<3 {
                try load.run(untilAcknowledged: 60)
                try disk.fill()
                try writer.submitUntilRefused()
                try load.run(untilAcknowledged: 0)
                for client in load.clients { try client.readAvailable() }
                #expect(load.missing(in: try server.export("room1")) == [])
                try disk.makeRoom()
                try writer.submit(count: 2)
            }
            let findings = try load.findings(at: server)
            #expect(findings == [])
            #expect(try server.export("room2").identifiers == writer.written)
            #expect(try server.terminate() == .exit(0))
            try expectSound(server)
        }

        /// A server on a full disk reports that, or serves what is stored. With space again it
        /// works as before.
        @Test(.enabled("nobody may mount a file system here") { SmallDisk.isAvailable })
        func startOnAFullDisk() throws {
            let disk = try SmallDisk(mebibytes: 8)
            let server = try ServerProcess(data: disk.path("data"))
            let writer = try RoomWriter("room2", at: server)
            try writer.submit(count: 20)
            try server.kill()
            try disk.fill()
            let arguments = ["serve", "--listen", "127.0.0.1:0", "--data", server.data]
            let process = try ChildProcess(Program.server, arguments)
            if try process.output.next() == nil {
                #expect(try process.wait() == .exit(74), "\(process.transcript)")
                #expect(try process.errors.all().count == 1, "\(process.transcript)")
            }
            process.end()
            try disk.makeRoom()
            try expectSound(server)
            try server.restart()
            #expect(try server.export("room2").identifiers == writer.written)
        }

        private func expectSound(_ server: ServerProcess) throws {
            let verified = try CommandResult.server(["verify", server.data])
            #expect(verified.ending == .exit(0), "\(verified)")
        }
    }
}
