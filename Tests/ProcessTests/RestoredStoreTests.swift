import Foundation
import Glibc
import Testing

extension ProcessTests {
    /// The server is killed and its folder is restored from a copy. Its clients return to a room
    /// with another history.
    @Suite struct RestoredStoreTests {
        private func insert(_ names: [String], by client: JoinProcess) throws {
            for name in names {
                let item = ##"{"insert":{"item":{"id":"\##(name)"},"to":{"section":"main"}}}"##
                try client.submit(line: ##"{"ops":[\##(item)]}"##)
            }
            try client.readUntilAnswered()
        }

        @Test func aClientDoesNotGoOnInAnotherHistory() throws {
            let server = try ServerProcess()
            let copy = server.folder.path("copy")
            let client = try JoinProcess(
                "returning", room: "room", at: server.address, mayLoseConnection: true)
            try insert(["a"], by: client)
            try server.kill()
            try FileManager.default.copyItem(atPath: server.data, toPath: copy)
            try server.restart()
            try insert(["lost0", "lost1"], by: client)
            #expect(client.revision <= 3)

            client.send(signal: SIGSTOP)
            try server.kill()
            try FileManager.default.removeItem(atPath: server.data)
            try FileManager.default.copyItem(atPath: copy, toPath: server.data)
            try server.restart()
            let other = try JoinProcess("other", room: "room", at: server.address)
            try insert(["new0", "new1", "new2", "new3", "new4"], by: other)
            client.send(signal: SIGCONT)

            try client.read(until: "the room as it is") {
                $0.welcomes.last?["changed"] == true && $0.revision == 6
            }
            #expect(client.welcomes.count { $0["changed"] == true } == 1)
            #expect(client.welcomes.last?["id"] == client.welcomes[0]["id"])
            #expect(client.welcomes.last?["epoch"] != client.welcomes[0]["epoch"])
            let expected = ["a", "new0", "new1", "new2", "new3", "new4"]
            #expect(try client.room.identifiers == expected)
            #expect(try server.export("room").identifiers == expected)
            try insert(["again"], by: client)
            #expect(client.rejected == [:])
            #expect(try client.finish() == .exit(0))
            #expect(try other.finish() == .exit(0))
        }

        /// The write-ahead log, which has everything that was not moved into the database, is gone.
        @Test func aLostEndIsSaidWithNumbers() throws {
            let server = try ServerProcess()
            let client = try JoinProcess("client", room: "room", at: server.address)
            try insert(["a", "b", "c"], by: client)
            #expect(try client.finish() == .exit(0))
            #expect(try server.terminate() == .exit(0))
            try server.restart()
            let other = try JoinProcess("other", room: "room", at: server.address)
            try insert(["d"], by: other)
            try insert(["e"], by: other)
            #expect(try other.finish() == .exit(0))
            try server.kill()
            let files = FileManager.default
            #expect(try CommandResult.server(["verify", server.data]).ending == .exit(0))
            try files.removeItem(atPath: server.data + "/collsync.db-wal")
            try files.removeItem(atPath: server.data + "/collsync.db-shm")

            let verified = try CommandResult.server(["verify", server.data])
            #expect(verified.ending == .exit(65))
            let numbers =
                /collsync.tail has seen commit (\d+), .* commit (\d+), so (\d+) are missing/
            let match = try #require(verified.output.first?.firstMatch(of: numbers))
            #expect(match.3 == "2")
            try server.restart()
            #expect(try server.export("room").identifiers == ["a", "b", "c"])
            let said = try server.logLine(with: "has lost its last commits")
            #expect(said.contains(#"databaseCommit="\#(match.2)" seenCommit="\#(match.1)""#))
            #expect(try server.terminate() == .exit(0))
            #expect(try CommandResult.server(["verify", server.data]).ending == .exit(0))
        }
    }
}
