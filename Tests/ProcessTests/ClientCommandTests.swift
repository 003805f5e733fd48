import Foundation
import Glibc
import Testing

extension ProcessTests {
    /// The commands of `collsync-cli`, except for `join`.
    @Suite struct ClientCommandTests {
        /// A room of five revisions: three inserts, a move and a delete.
        private func smallRoom(at server: ServerProcess) throws {
            let client = try JoinProcess("a", room: "room1", at: server.address)
            for identifier in ["milk", "eggs", "tea"] {
                let item: JSON = ["id": .text(identifier), "size": ["width": 20, "height": 10]]
                try client.submit([["insert": ["item": item, "to": ["section": "main"]]]])
            }
            try client.submit([["move": ["id": "tea", "to": ["before": "milk"]]]])
            try client.submit([["delete": ["id": "eggs"]]])
            try client.readUntilAnswered()
            _ = try client.finish()
        }

        private func tail(_ options: [String], at server: ServerProcess) throws -> [JSON] {
            let result = try CommandResult.client(["tail", "room1"] + options, at: server)
            #expect(result.ending == .exit(0), "\(result)")
            return try result.json.compactMap { $0["batch"] }
        }

        @Test func tailComposesOrGivesEveryRevision() throws {
            let server = try ServerProcess()
            try smallRoom(at: server)
            let composed = try tail(["--from", "0", "--until", "5"], at: server)
            #expect(composed.count == 1)
            #expect(composed.first?["from"] == 0 && composed.first?["to"] == 5)

            let every = try tail(["--from", "0", "--until", "5", "--every-revision"], at: server)
            #expect(every.map { $0["to"]?.integer } == [1, 2, 3, 4, 5])

            let expected = try server.export("room1")
            for batches in [composed, every] {
                var replica = try RoomReplica(snapshot: ["sections": [["id": "main"]]])
                for batch in batches { try replica.apply(batch) }
                #expect(replica == expected)
            }
            #expect(try tail(["--from", "2", "--until", "4"], at: server).count == 1)
            #expect(expected.identifiers == ["tea", "milk"])
        }

        /// Revisions below the horizon come from the log.
        @Test func tailReachesBeyondTheHorizon() throws {
            let server = try ServerProcess(["--horizon", "2"])
            try smallRoom(at: server)
            try server.kill()
            try server.restart()
            let composed = try tail(["--from", "0", "--until", "5"], at: server)
            let every = try tail(["--from", "0", "--until", "5", "--every-revision"], at: server)
            let expected = try server.export("room1")
            for batches in [composed, every] {
                var replica = try RoomReplica(snapshot: ["sections": [["id": "main"]]])
                for batch in batches { try replica.apply(batch) }
                #expect(replica == expected)
            }
        }

        /// A range of no revisions is empty.
        @Test func tailOfNoRevisionsIsEmpty() throws {
            let server = try ServerProcess()
            try smallRoom(at: server)
            for options in [[], ["--every-revision"]] {
                #expect(try tail(["--from", "5", "--until", "5"] + options, at: server) == [])
                #expect(try tail(["--from", "3", "--until", "3"] + options, at: server) == [])
            }
        }

        /// A missing revision is an error, and the command does not wait for it.
        @Test(arguments: [["--until", "2"], ["--from", "500"], ["--from", "6"]])
        func tailOfNothingIsRefused(options: [String]) throws {
            let server = try ServerProcess()
            try smallRoom(at: server)
            let result = try CommandResult.client(["tail", "room1"] + options, at: server)
            #expect(result.ending == .exit(65), "\(result)")
            #expect(result.output == [] && result.errors.joined().contains("revision 5"))
            #expect(try tail(["--until", "5"], at: server) == [])
        }

        @Test func tailFollowsARoom() throws {
            let server = try ServerProcess()
            let client = try JoinProcess("a", room: "room1", at: server.address)
            let follower = try ChildProcess(
                Program.client,
                ["--server", server.address, "tail", "room1", "--from", "0", "--until", "3"])
            for identifier in ["milk", "eggs", "tea"] {
                try client.submit([
                    ["insert": ["item": ["id": .text(identifier)], "to": ["section": "main"]]]
                ])
                try client.readUntilAnswered()
            }
            #expect(try follower.wait() == .exit(0), "\(follower.transcript)")
            let batches = try follower.output.all().map { try JSON($0) }.compactMap { $0["batch"] }
            #expect(batches.last?["to"] == 3)
            var replica = try RoomReplica(snapshot: ["sections": [["id": "main"]]])
            for batch in batches { try replica.apply(batch) }
            #expect(replica.identifiers == ["milk", "eggs", "tea"])
        }

        /// The output continues after a lost connection. The loss and the reconnection are reported
        /// on standard error.
        @Test func tailGoesOnWithARestartedServer() throws {
            let server = try ServerProcess()
            let writer = try JoinProcess(
                "a", room: "room1", at: server.address, mayLoseConnection: true)
            let follower = try ChildProcess(
                Program.client, ["--server", server.address, "tail", "room1", "--from", "0"])
            func insert(_ id: String) throws {
                try writer.submit([
                    ["insert": ["item": ["id": .text(id)], "to": ["section": "main"]]]
                ])
                try writer.readUntilAnswered()
            }
            func revisions() throws -> [JSON?] {
                let batch = try JSON(follower.output.next() ?? "{}")["batch"]
                return [batch?["from"], batch?["to"]]
            }
            try insert("milk")
            #expect(try revisions() == [0, 1])
            // The first revision may have been made before it joined; the next one was not.
            try insert("tea")
            #expect(try revisions() == [1, 2])
            try server.kill()
            #expect(try follower.errors.next()?.hasPrefix("warning: ") == true)
            try server.restart()
            var said = try follower.errors.next()
            while said?.hasPrefix("warning: ") == true { said = try follower.errors.next() }
            #expect(said == "connected again")
            try insert("eggs")
            #expect(try revisions() == [2, 3])
            follower.send(signal: SIGINT)
            #expect(try follower.wait() == .exit(0), "\(follower.transcript)")
            #expect(try follower.output.all().count == 3)
        }

        /// On a terminal these reports are sentences.
        @Test func aTerminalReportsARestartedServer() throws {
            let server = try ServerProcess()
            let writer = try JoinProcess(
                "a", room: "room1", at: server.address, mayLoseConnection: true)
            let terminal = try TmuxTerminal(columns: 80, rows: 24)
            try terminal.type(
                "clear; \(Program.client.path) --server \(server.address) tail room1 --from 0")
            func insert(_ id: String, revision: Int) throws {
                try writer.submit([
                    ["insert": ["item": ["id": .text(id)], "to": ["section": "main"]]]
                ])
                try writer.readUntilAnswered()
                try terminal.read(until: "revision \(revision)") { screen in
                    screen.contains("Revision \(revision):") && screen.contains("  + \(id)")
                }
            }
            try insert("milk", revision: 1)
            try insert("tea", revision: 2)
            try server.kill()
            try terminal.read(until: "a warning") { $0.contains { $0.hasPrefix("warning: ") } }
            try server.restart()
            try terminal.read(until: "the connection") { $0.contains("connected again") }
            try insert("eggs", revision: 3)
        }

        @Test func exportAndImportGoRound() throws {
            let server = try ServerProcess()
            try smallRoom(at: server)
            let file = server.folder.path("room.json")
            let exported = try CommandResult.client(
                ["export", "room1", "--out", file], at: server)
            #expect(exported.ending == .exit(0), "\(exported)")
            let imported = try CommandResult.client(["import", "room2", file], at: server)
            #expect(imported.ending == .exit(0), "\(imported)")
            let first = try server.export("room1")
            let second = try server.export("room2")
            #expect(first.sections == second.sections)

            let again = try CommandResult.client(["import", "room2", file], at: server)
            #expect(again.ending == .exit(65), "a room that is not empty takes no import: \(again)")
            #expect(try server.export("room2") == second)
        }

        /// Only files are replaced: the target of a link is written, and so is a pipe.
        @Test func outputGoesWhereItIsSent() throws {
            let server = try ServerProcess()
            try smallRoom(at: server)
            func export(to path: String) throws {
                let result = try CommandResult.client(
                    ["export", "room1", "--out", path], at: server)
                #expect(result.ending == .exit(0), "\(result)")
            }
            func kind(of path: String) -> mode_t {
                var status = stat()
                return lstat(path, &status) == 0 ? status.st_mode & S_IFMT : 0
            }
            let (file, link, pipe) = (
                try server.folder.write("old", to: "file"), server.folder.path("link"),
                server.folder.path("pipe")
            )
            #expect(symlink(file, link) == 0 && mkfifo(pipe, 0o600) == 0)
            try export(to: link)
            #expect(kind(of: link) == S_IFLNK && kind(of: file) == S_IFREG)
            let written = try String(contentsOfFile: file, encoding: .utf8)
            #expect(written.contains("milk"))

            let reading = open(pipe, O_RDWR | O_NONBLOCK)
            defer { close(reading) }
            try export(to: pipe)
            #expect(kind(of: pipe) == S_IFIFO)
            var bytes = [UInt8](repeating: 0, count: 65_536)
            let count = read(reading, &bytes, bytes.count)
            #expect(String(decoding: bytes.prefix(max(0, count)), as: UTF8.self) == written)
        }

        /// A link to a missing file creates that file, and stays a link.
        @Test func aLinkToNothingIsFollowed() throws {
            let server = try ServerProcess()
            try smallRoom(at: server)
            let folder = server.folder
            let targets = [folder.path("absolute.json"), "relative.json", "chain-1"]
            let files = ["absolute.json", "relative.json", "relative.json"].map(folder.path)
            for (index, (target, file)) in zip(targets, files).enumerated() {
                let link = folder.path("chain-\(index)")
                #expect(symlink(target, link) == 0)
                try? FileManager.default.removeItem(atPath: file)
                let result = try CommandResult.client(
                    ["export", "room1", "--out", link], at: server)
                #expect(result.ending == .exit(0), "\(result)")
                var status = stat()
                #expect(lstat(link, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK)
                #expect(try String(contentsOfFile: file, encoding: .utf8).contains("milk"))
            }
            let circle = folder.path("circle")
            #expect(symlink("circle", circle) == 0)
            let result = try CommandResult.client(["export", "room1", "--out", circle], at: server)
            #expect(result.ending == .exit(74), "\(result)")
        }

        @Test func exportOfAnOldRevision() throws {
            let server = try ServerProcess()
            try smallRoom(at: server)
            let result = try CommandResult.client(
                ["export", "room1", "--revision", "3"], at: server)
            let room = try RoomReplica(snapshot: JSON(result.output.joined(separator: "\n")))
            #expect(room.revision == 3)
            #expect(room.identifiers == ["milk", "eggs", "tea"])
        }

        @Test(arguments: [
            "{}", #"{"sections":[{"id":"main","items":[{"id":"a","wrong":1}]}]}"#,
            "{\"sections\":[",
        ])
        func wrongFilesAreRefused(text: String) throws {
            let server = try ServerProcess()
            let file = try server.folder.write(text, to: "room.json")
            let result = try CommandResult.client(["import", "room1", file], at: server)
            #expect(result.ending == .exit(65), "\(result)")
        }

        @Test func roomsAreListedCountedAndDeleted() throws {
            let server = try ServerProcess()
            try smallRoom(at: server)
            let rooms = try CommandResult.client(["rooms"], at: server)
            #expect(rooms.ending == .exit(0))
            #expect(rooms.output.contains { $0.contains("room1") })

            let stats = try CommandResult.client(["stats", "room1"], at: server)
            #expect(stats.ending == .exit(0))
            let text = stats.output.joined()
            #expect(text.contains(/"revision":5\b/) && text.contains(/"items":2\b/), "\(text)")
            // The server's figures are an object inside the line.
            let figures = try #require(text.firstMatch(of: /"server":{(?<figures>[^}]*)}/)).figures
            #expect(figures.contains(/"connections":1\b/) && figures.contains(/"openRooms":1\b/))
            for name in ["memoryLimit", "diskBytes", "turns", "roomBytes"] {
                #expect(figures.contains("\"\(name)\":") && !figures.contains("\"\(name)\":0"))
            }

            let unconfirmed = try CommandResult.client(["delete-room", "room1"], at: server)
            #expect(unconfirmed.ending != .exit(0))
            #expect(try server.export("room1").revision == 5)
            let deleted = try CommandResult.client(["delete-room", "room1", "--yes"], at: server)
            #expect(deleted.ending == .exit(0), "\(deleted)")
            let left = try CommandResult.client(["rooms"], at: server)
            #expect(!left.output.contains { $0.contains("room1") })
            try server.kill()
            try server.restart()
            let client = try JoinProcess("a", room: "room1", at: server.address)
            #expect(client.revision == 0)
        }

        @Test(arguments: [
            ["join", "room1"], ["tail", "room1"], ["export", "room1"], ["rooms"],
            ["stats", "room1"], ["delete-room", "room1", "--yes"],
            ["render", "room1", "--layout", "flow", "--out", "/tmp/collsync-no-server.svg"],
        ])
        func noServerIsSaid(arguments: [String]) throws {
            let server = try ServerProcess()
            #expect(try server.terminate() == .exit(0))
            let result = try CommandResult.client(arguments, at: server)
            #expect(result.ending == .exit(69), "\(result)")
            #expect(result.errors.joined().contains("'collsync serve'"), "\(result)")
        }

        @Test(arguments: [
            ["join"], ["tail", "room1", "--from", "x"], ["no-such-command"],
            ["--server", "nonsense", "rooms"], ["export", "room1", "--wrong"],
        ])
        func wrongUseIsRefused(arguments: [String]) throws {
            let result = try CommandResult.client(arguments)
            #expect(result.ending == .exit(64), "\(result)")
        }

        @Test func aCommandThatIsNoneIsNamed() throws {
            let typing = try CommandResult.client(["--server", "h:1", "jion", "room1"])
            #expect(typing.ending == .exit(64))
            #expect(
                typing.errors.first == "Error: there is no command 'jion', did you mean 'join'?")
        }

        @Test func wrongRoomNamesAreRefused() throws {
            let server = try ServerProcess()
            let long = String(repeating: "a", count: 129)
            for name in ["a/b", "", long, "a\u{7}"] {
                let result = try CommandResult.client(["join", name], at: server)
                #expect(result.ending == .exit(64), "\(result)")
            }
        }

        /// Invalid names create nothing.
        @Test func whatIsNoTextIsRefused() throws {
            let server = try ServerProcess()
            let words: [[String]] = [
                ["join"], ["tail"], ["stats"], ["export"], ["import", "room1"],
                ["export", "room1", "--out"], ["view", "--layout", "flow"],
            ]
            for arguments in words {
                let client = try ChildProcess(
                    URL(filePath: "/bin/sh"),
                    [
                        "-c", #"exec "$0" "$@" "$(printf 'a\377')""#, try Program.client.path,
                        "--server", server.address,
                    ] + arguments)
                client.closeInput()
                #expect(try client.wait() == .exit(64), "\(client.transcript)")
                let number = arguments.count + 3
                #expect(client.transcript.contains("argument \(number) is not UTF-8"))
            }
            #expect(try CommandResult.client(["rooms"], at: server).output == [])
        }

        @Test func aByteOrderMarkIsPassedOver() throws {
            let server = try ServerProcess()
            let text = "\u{FEFF}" + #"{"sections":[{"id":"main","items":[{"id":"a"}]}]}"#
            let file = try server.folder.write(text, to: "room.json")
            let result = try CommandResult.client(["import", "room1", file], at: server)
            #expect(result.ending == .exit(0), "\(result)")
            #expect(result.errors.joined().contains("1 item imported"), "\(result)")
            let binary = try server.folder.write("\u{1F}\u{8B}\u{8}", to: "room.gz")
            let refused = try CommandResult.client(["import", "room2", binary], at: server)
            #expect(refused.ending == .exit(65))
            #expect(refused.errors.joined().contains("is no JSON object"), "\(refused)")
        }

        /// An id that occurs twice in a file ends the import there.
        @Test func repeatedItemsAreSaid() throws {
            let server = try ServerProcess()
            let text = #"{"sections":[{"id":"main","items":[{"id":"a"},{"id":"b"},{"id":"a"}]}]}"#
            let file = try server.folder.write(text, to: "room.json")
            let result = try CommandResult.client(["import", "room1", file], at: server)
            #expect(result.ending == .exit(65))
            let said = "sections[0].items[2].id: this id was there before (0 items imported before"
            #expect(result.errors.joined().contains(said), "\(result)")
        }

        @Test func unknownRoomsAreSaid() throws {
            let server = try ServerProcess()
            for command in [
                ["export"], ["stats"], ["tail"], ["tail", "--from", "0", "--until", "1"],
                ["view", "--layout", "flow"],
            ] {
                let result = try CommandResult.client(command + ["nowhere"], at: server)
                #expect(result.ending == .exit(65), "\(result)")
                #expect(result.errors.joined().contains("no room"), "\(result)")
            }
            #expect(try CommandResult.client(["rooms"], at: server).output == [])
        }
    }
}
