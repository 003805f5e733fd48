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

        /// What the audit trail says of purges.
        private func noted(in folder: String) throws -> [String] {
            let trail = try CommandResult.server(["audit", folder, "--kind", "purge"])
            #expect(trail.ending == .exit(0), "\(trail)")
            return trail.output.map { line in
                #expect(line.contains(" purge room=room done: "))
                return String(line.split(separator: ": ").last ?? "")
            }
        }

        /// What can't be noted is not done.
        @Test func aTrailThatCannotBeOpenedStopsIt() throws {
            let store = try CopiedStore()
            let before = try StoreContents(of: store.data)
            let trail = store.folder.path("trail")
            func purge(_ code: Int32, _ options: [String]) throws {
                let arguments = ["purge", store.data, "room", "--item", "item-2"] + options
                let result = try CommandResult.server(arguments)
                #expect(result.ending == .exit(code), "\(result)")
            }
            try purge(74, ["--audit", store.folder.path("no/trail")])
            let other = try ServerProcess(["--audit", trail])
            try purge(75, ["--audit", trail])
            #expect(try other.terminate() == .exit(0))
            #expect(try StoreContents(of: store.data) == before)
            try purge(0, ["--audit", "off"])
            try purge(0, ["--audit", trail])
            #expect(try noted(in: trail) == ["0 of 1 items were in the room"])
            #expect(try noted(in: store.data) == [])
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
            #expect(
                result.output.contains(
                    "room 'room': all log and snapshots before now are gone, and so are free pages")
            )
            #expect(try noted(in: server.data) == ["1 of 2 items were in the room"])
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
            for (room, item) in [("a/b", "b"), ("", "b"), ("room", ""), ("room", "a\nb")] {
                let wrong = ["purge", server.data, room, "--item", item]
                #expect(try CommandResult.server(wrong).ending == .exit(64), "\(wrong)")
            }
            let all = ["1", "0"].map { "\($0) of 2 items were in the room" }
            #expect(try noted(in: server.data) == all)
        }
    }
}
