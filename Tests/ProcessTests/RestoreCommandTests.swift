import Foundation
import Glibc
import Testing

extension ProcessTests {
    @Suite struct RestoreCommandTests {
        private func insert(_ names: [String], by client: JoinProcess) throws {
            for name in names {
                let item = ##"{"insert":{"item":{"id":"\##(name)"},"to":{"section":"main"}}}"##
                try client.submit(line: ##"{"ops":[\##(item)]}"##)
            }
            try client.readUntilAnswered()
        }

        private func expect(
            _ arguments: [String], endsWith code: Int32 = 0,
            location: SourceLocation = #_sourceLocation
        ) throws {
            let result = try CommandResult.server(arguments)
            #expect(result.ending == .exit(code), "\(result)", sourceLocation: location)
        }

        /// A client that knows what was lost gets the room as it is, and a copy of the room under
        /// another name is a room of its own.
        @Test func aRestoredRoomBeginsAnEpoch() throws {
            let server = try ServerProcess()
            let copy = server.folder.path("copy")
            let client = try JoinProcess(
                "client", room: "room", at: server.address, mayLoseConnection: true)
            try insert(["a"], by: client)
            try expect(["backup", server.data, "--to", copy])
            try insert(["lost"], by: client)
            try expect(
                ["restore", server.data, "--from", copy, "--replace"], endsWith: 75)
            #expect(try server.terminate() == .exit(0))
            try expect(["restore", server.data, "--from", copy], endsWith: 73)
            try expect(["restore", server.data, "--from", copy, "--replace"])
            try expect(["restore", server.data, "--from", copy, "--room", "room", "--as", "other"])
            try expect(["verify", server.data])
            let trail = try CommandResult.server(["audit", server.data, "--kind", "restore"])
            #expect(trail.output.count == 1, "\(trail)")
            #expect(trail.output.first?.contains(" restore room=room done: replaced") == true)
            try server.restart()
            try client.read(until: "the room as it is") {
                $0.welcomes.last?["changed"] == true && $0.snapshotCount == 2 && $0.revision == 1
            }
            #expect(client.welcomes.last?["id"] == client.welcomes[0]["id"])
            #expect(client.welcomes.last?["epoch"] != client.welcomes[0]["epoch"])
            try insert(["again"], by: client)
            #expect(client.rejected == [:])
            let other = try JoinProcess("other", room: "other", at: server.address)
            #expect(other.welcomes[0]["id"] != client.welcomes[0]["id"])
            #expect(try other.room.identifiers == ["a"])
            try insert(["new"], by: other)
            try other.read(untilRevision: 2)
            #expect(try other.room.identifiers == ["a", "new"])
            #expect(try client.finish() == .exit(0))
            #expect(try other.finish() == .exit(0))
            #expect(try server.export("room").identifiers == ["a", "again"])
            #expect(try server.terminate() == .exit(0))
            try expect(["verify", server.data])
        }

        /// A room that is larger than it may be is damage, for a folder and for a copy.
        @Test func aRoomMayBeTooLarge() throws {
            let server = try ServerProcess()
            let client = try JoinProcess("client", room: "room", at: server.address)
            for number in 0..<10 {
                let text = String(repeating: "\(number)", count: 200_000)
                let fields = ##"{"t":"\##(text)"}"##
                let item = ##"{"id":"i\##(number)","fields":\##(fields)}"##
                let insert = ##"{"item":\##(item),"to":{"section":"main"}}"##
                try client.submit(line: ##"{"ops":[{"insert":\##(insert)}]}"##)
            }
            #expect(try client.finish() == .exit(0))
            let (copy, new) = (server.folder.path("copy"), server.folder.path("new"))
            try expect(["backup", server.data, "--to", copy])
            #expect(try server.terminate() == .exit(0))
            let restored = try CommandResult.server(
                ["restore", new, "--from", copy, "--max-room-bytes", "1M"])
            #expect(restored.ending == .exit(65), "\(restored)")
            #expect(
                restored.errors.last?.hasSuffix("if it is to be read, raise --max-room-bytes")
                    == true,
                "\(restored)")
            #expect(!FileManager.default.fileExists(atPath: new))
            for path in [server.data, copy] {
                let found = try CommandResult.server(["verify", path, "--max-room-bytes", "1M"])
                #expect(found.ending == .exit(65), "\(found)")
                #expect(
                    found.output.contains { $0.hasSuffix("to be read, raise --max-room-bytes") },
                    "\(found)")
                try expect(["verify", path])
            }
            try expect(["restore", new, "--from", copy])
            try expect(["restore", new, "--from", copy, "--max-room-bytes", "1"], endsWith: 64)
        }

        @Test func aTimeLeadsBack() throws {
            let server = try ServerProcess()
            let client = try JoinProcess("client", room: "room", at: server.address)
            try insert(["a"], by: client)
            usleep(20_000)
            let time = Date()
            usleep(20_000)
            try insert(["b"], by: client)
            #expect(try client.finish() == .exit(0))
            let (copy, new) = (server.folder.path("copy"), server.folder.path("new"))
            try expect(["backup", server.data, "--to", copy])
            #expect(try server.terminate() == .exit(0))
            let text = time.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
            try expect(["restore", new, "--from", copy, "--until", text])
            try expect(["verify", new])
            let restored = try ServerProcess(data: new)
            #expect(try restored.export("room").identifiers == ["a"])
            #expect(try restored.terminate() == .exit(0))
            try expect(["restore", new, "--from", copy, "--until", "yesterday"], endsWith: 64)
            try expect(["restore", new, "--from", copy, "--as", "x"], endsWith: 64)
            for wrong in [["--room", "a/b"], ["--room", "room", "--as", "a/b"]] {
                try expect(["restore", new, "--from", copy] + wrong, endsWith: 64)
            }
            try expect(["restore", new, "--from", server.folder.path("no")], endsWith: 66)
            try expect(["restore", new, "--from", Program.server.path], endsWith: 65)
        }
    }
}
