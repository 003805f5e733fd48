import Foundation
import ModelSupport
import Testing

extension ProcessTests {
    /// The server writes an audit trail beside its store, and `audit` reads it meanwhile.
    @Suite struct AuditCommandTests {
        /// The lines that `audit` prints, once there are so many.
        private func lines(
            _ count: Int, of folder: String, _ options: [String] = []
        ) throws -> [JSON] {
            var lines: [String] = []
            let isThere = try Deadline.isReached {
                let result = try CommandResult.server(["audit", folder, "--json"] + options)
                guard result.ending == .exit(0) else { throw TestFailure("\(result)") }
                lines = result.output
                return lines.count >= count
            }
            guard isThere else { throw TestFailure("there are fewer than \(count) lines") }
            return try lines.map { try JSON($0) }
        }

        private func files(in folder: String) throws -> [String] {
            try FileManager.default.contentsOfDirectory(atPath: folder).filter {
                $0.hasSuffix(".jsonl")
            }
        }

        @Test func theTrailHasWhatHappened() throws {
            let server = try ServerProcess()
            for room in ["room1", "room2"] {
                let client = try JoinProcess("a", room: room, at: server.address)
                try client.submit([["insert": ["item": ["id": "x"], "to": ["section": "main"]]]])
                try client.readUntilAnswered()
                #expect(try client.finish() == .exit(0))
            }
            let visits = try lines(4, of: server.data)
            #expect(visits.map { $0["kind"] } == ["join", "leave", "join", "leave"])
            #expect(visits.map { $0["room"] } == ["room1", "room1", "room2", "room2"])
            for visit in visits {
                guard case .text(let address)? = visit["address"] else {
                    throw TestFailure("there is no address: \(visit)")
                }
                #expect(address.hasPrefix("127.0.0.1:"))
                #expect((visit["detail"] != nil) == (visit["kind"] == "join"))
                #expect(visit["code"] == nil)
            }
            let deleted = try CommandResult.client(["delete-room", "room1", "--yes"], at: server)
            #expect(deleted.ending == .exit(0), "\(deleted)")
            let again = try CommandResult.client(["delete-room", "room1", "--yes"], at: server)
            #expect(again.ending != .exit(0))
            let deletions = try lines(2, of: server.data, ["--kind", "deleteRoom"])
            #expect(deletions.map { $0["room"] } == ["room1", "room1"])
            #expect(deletions.map { $0["code"] } == [nil, "roomNotFound"])
            // What was written is there after a kill, and the next server continues it.
            try server.kill()
            try server.restart()
            let client = try JoinProcess("b", room: "room3", at: server.address)
            #expect(try client.finish() == .exit(0))
            #expect(try lines(2, of: server.data, ["--room", "room3"]).count == 2)
            #expect(try lines(8, of: server.data).count == 8)
            #expect(try lines(0, of: server.data, ["--since", "2100-01-01"]).isEmpty)
            #expect(try lines(8, of: server.data, ["--since", "1h"]).count == 8)
            #expect(try lines(0, of: server.data, ["--until", "2020-01-01"]).isEmpty)
            #expect(try lines(0, of: server.data, ["--user", "ann"]).isEmpty)
            let shown = try CommandResult.server(["audit", server.data])
            #expect(shown.output.count == 8 && shown.ending == .exit(0))
            #expect(shown.output.first?.contains(" join address=127.0.0.1:") == true)
            #expect(try server.terminate() == .exit(0))
            #expect(try CommandResult.server(["verify", server.data]).ending == .exit(0))
        }

        @Test func roomsAreNamedByTheirBytes() throws {
            let server = try ServerProcess()
            for room in Spellings.all {
                let client = try JoinProcess("a", room: room, at: server.address)
                #expect(try client.finish() == .exit(0))
            }
            #expect(try lines(8, of: server.data).count == 8)
            for room in Spellings.all {
                let lines = try lines(2, of: server.data, ["--room", room])
                guard lines.count == 2, case .text(let found)? = lines[0]["room"] else {
                    throw TestFailure("\(lines) are not one of '\(room)'")
                }
                #expect(Array(found.utf8) == Array(room.utf8))
            }
            #expect(try server.terminate() == .exit(0))
        }

        @Test func theTrailCanBeElsewhereOrOff() throws {
            let folder = try TemporaryFolder()
            for trail in ["off", folder.path("trail")] {
                let server = try ServerProcess(["--audit", trail, "--keep-addresses", "0s"])
                let client = try JoinProcess("a", room: "room1", at: server.address)
                #expect(try client.finish() == .exit(0))
                #expect(try server.terminate() == .exit(0))
                #expect(try files(in: server.data) == [])
                guard trail != "off" else { continue }
                let line = try #require(try lines(1, of: trail).first)
                #expect(line["room"] == "room1" && line["address"] == nil)
                let other = try ServerProcess(["--audit", trail])
                let second = try ChildProcess(
                    Program.server,
                    ["serve", "--listen", "127.0.0.1:0", "--memory", "--audit", trail])
                #expect(try second.wait() == .exit(75), "\(second.transcript)")
                #expect(try other.terminate() == .exit(0))
            }
        }

        @Test func wrongUsage() throws {
            let folder = try TemporaryFolder()
            let missing = try CommandResult.server(["audit", folder.path("nothing")])
            #expect(missing.ending == .exit(66) && missing.errors.count == 1)
            #expect(try CommandResult.server(["audit", folder.url.path]).ending == .exit(0))
            for arguments in [
                ["--kind", "dance"], ["--since", "yesterday"], ["--room", "a/b"], ["--room", ""],
                ["--user", ""],
            ] {
                let result = try CommandResult.server(["audit", folder.url.path] + arguments)
                #expect(result.ending == .exit(64), "\(result)")
            }
            try "rubbish\n".write(
                toFile: folder.path("audit-00000001-2026-01-31T12-34-56Z.jsonl"),
                atomically: true, encoding: .utf8)
            #expect(try CommandResult.server(["audit", folder.url.path]).ending == .exit(65))
            let process = try ChildProcess(
                Program.server,
                ["serve", "--listen", "127.0.0.1:0", "--memory", "--audit", folder.path("a/b")])
            #expect(try process.wait() == .exit(74), "\(process.transcript)")
        }

        /// A full disk stops nothing. What is missing is counted in the log and in the trail.
        @Test(.enabled("nobody may mount a file system here") { SmallDisk.isAvailable })
        func aFullDisk() throws {
            let disk = try SmallDisk(mebibytes: 1)
            let server = try ServerProcess(["--audit", disk.path("trail")])
            func join() throws {
                let client = try JoinProcess("a", room: "room1", at: server.address)
                #expect(try client.finish() == .exit(0))
            }
            try join()
            _ = try lines(1, of: disk.path("trail"))
            try disk.fill()
            for _ in 0..<40 { try join() }
            _ = try server.logLine(with: "the audit trail can't be written")
            try disk.makeRoom()
            try join()
            let lost = try lines(1, of: disk.path("trail"), ["--kind", "lost"])
            #expect(lost.count == 1)
            #expect(try server.terminate() == .exit(0))
        }
    }
}
