import Foundation
import Glibc
import Testing

extension ProcessTests {
    @Suite struct PurgeCommandTests {
        private static let secrets = ["first-secret-value", "second-secret-value", "gone-value"]

        /// How often the secrets are in the files of a store.
        private func count(in folder: String) throws -> Int {
            var count = 0
            for name in try FileManager.default.files(in: folder) {
                let data = try Data(contentsOf: URL(filePath: "\(folder)/\(name)"))
                for secret in Self.secrets where data.firstRange(of: Data(secret.utf8)) != nil {
                    count += 1
                }
            }
            return count
        }

        private func submit(_ operations: [String], by client: JoinProcess) throws {
            for operation in operations { try client.submit(line: #"{"ops":[\#(operation)]}"#) }
            try client.readUntilAnswered()
        }

        /// One item lives and may not be deleted, the other one was deleted before.
        @Test func noFileHasTheContent() throws {
            let server = try ServerProcess()
            let client = try JoinProcess(
                "client", room: "room", at: server.address, mayLoseConnection: true)
            let place = #""to":{"section":"main"}"#
            try submit(
                [
                    #"{"insert":{"item":{"id":"a","fields":{"t":"plain"}},\#(place)}}"#,
                    #"{"insert":{"item":{"id":"b","fields":{"t":"first-secret-value"},"#
                        + #""flags":{"deletable":false}},\#(place)}}"#,
                    #"{"insert":{"item":{"id":"c","fields":{"t":"gone-value"}},\#(place)}}"#,
                    #"{"delete":{"id":"c"}}"#,
                    #"{"update":{"id":"b","set":{"t":"second-secret-value"}}}"#,
                ], by: client)
            #expect(client.rejected == [:], "\(client.rejected)")
            let purge = ["purge", server.data, "room", "--item", "b", "--item", "c"]
            #expect(try CommandResult.server(purge).ending == .exit(75))
            #expect(try server.terminate() == .exit(0))
            #expect(try count(in: server.data) >= 3)
            let result = try CommandResult.server(purge)
            #expect(result.ending == .exit(0), "\(result)")
            #expect(result.output.first == "item 'b' is deleted")
            #expect(result.output.contains("item 'c' was not in the room"))
            #expect(try count(in: server.data) == 0)
            let verified = try CommandResult.server(["verify", server.data])
            #expect(verified.ending == .exit(0), "\(verified)")

            try server.restart()
            try client.read(until: "the room as it is") { $0.snapshotCount == 2 }
            #expect(client.welcomes.last?["id"] == client.welcomes[0]["id"])
            #expect(client.welcomes.last?["epoch"] != client.welcomes[0]["epoch"])
            #expect(try client.room.identifiers == ["a"])
            try submit([#"{"insert":{"item":{"id":"d"},\#(place)}}"#], by: client)
            #expect(client.rejected == [:])
            #expect(try client.finish() == .exit(0))
            #expect(try server.export("room").identifiers == ["a", "d"])
            #expect(try server.terminate() == .exit(0))
            #expect(try count(in: server.data) == 0)
            #expect(try CommandResult.server(["verify", server.data]).ending == .exit(0))
            #expect(try CommandResult.server(purge).ending == .exit(0), "it may be done again")
            let missing = ["purge", server.data, "none", "--item", "b"]
            #expect(try CommandResult.server(missing).ending == .exit(66))
            #expect(
                try CommandResult.server(["purge", server.data, "room"]).ending == .exit(64))
        }
    }
}
