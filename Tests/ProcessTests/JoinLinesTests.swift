import Foundation
import Testing

extension ProcessTests {
    /// The lines of `join`, on which scripts and other programs rely.
    @Suite struct JoinLinesTests {
        /// The room of the documented lines: at revision 41, with eggs and a second section.
        private func preparedRoom(at server: ServerProcess) throws -> JoinProcess {
            let client = try JoinProcess("writer", room: "room1", at: server.address)
            try client.submit(
                line: """
                    {"ops":[{"insertSection":{"section":{"id":"done"},"to":{"after":"main"}}},\
                    {"insert":{"item":{"id":"eggs","fields":{"title":"Eggs"}},\
                    "to":{"section":"main"}}}]}
                    """)
            for number in 2...41 {
                try client.submit(
                    line: #"{"ops":[{"update":{"id":"eggs","set":{"note":\#(number)}}}]}"#)
            }
            try client.readUntilAnswered()
            try client.read(untilRevision: 41)
            return client
        }

        /// Lines may come before the room does. In a large room the first thousands come while its
        /// snapshot is still in flight. They are based on the printed revision, like all others.
        @Test func linesThatComeBeforeTheRoomAreTaken() throws {
            let server = try ServerProcess()
            let items = (0..<40_000).map { #"{"id":"i\#($0)","fields":{"title":"item \#($0)"}}"# }
            let snapshot =
                #"{"sections":[{"id":"main","items":[\#(items.joined(separator: ","))]}]}"#
            let file = try server.folder.write(snapshot, to: "room.json")
            let imported = try CommandResult.client(["import", "room1", file], at: server)
            #expect(imported.ending == .exit(0), "\(imported)")

            let client = try ChildProcess(
                Program.client, ["--server", server.address, "join", "room1"])
            for number in 0..<4000 {
                try client.write(
                    #"{"ops":[{"update":{"id":"i\#(number)","set":{"title":"new"}}}]}"# + "\n")
            }
            client.closeInput()
            var answers = 0
            while let line = try client.output.next() {
                answers += line.hasPrefix(#"{"ack":"#) ? 1 : 0
                #expect(!line.hasPrefix(#"{"reject":"#), "\(line)")
            }
            #expect(answers == 4000)
            #expect(try client.wait() == .exit(0))
        }

        @Test func authorsComeWithBatches() throws {
            let server = try ServerProcess()
            let anna = try JoinProcess("anna", room: "room1", at: server.address)
            let reader = try JoinProcess("reader", room: "room1", at: server.address, ["--authors"])
            let bert = try JoinProcess("bert", room: "room1", at: server.address)
            for number in 0..<10 {
                let writer = number.isMultiple(of: 3) ? anna : bert
                let insert: JSON = ["item": ["id": .text("i\(number)")], "to": ["section": "main"]]
                try writer.submit([["insert": insert]])
            }
            for client in [anna, bert] { try client.readUntilAnswered() }
            try reader.read(untilRevision: 10)
            #expect(reader.authors.keys.sorted() == Array(1...10))
            for writer in [anna, bert] {
                for (number, revision) in writer.acknowledged {
                    #expect(
                        reader.authors[revision] == [
                            "revision": .number(Double(revision)), "tx": .number(Double(number)),
                            "client": .text(try #require(writer.client)),
                        ])
                }
                #expect(writer.authors.isEmpty)
            }
            #expect(try reader.finish() == .exit(0))
            let plain = try CommandResult.client(["join", "room1", "--authors"], at: server)
            #expect(plain.ending == .exit(0), "a pipe gets lines")
        }

        @Test func aNearlyFullRoomIsALine() throws {
            let server = try ServerProcess(["--max-items", "10"])
            let anna = try JoinProcess("anna", room: "room1", at: server.address)
            for number in 1...8 {
                let insert: JSON = ["item": ["id": .text("i\(number)")], "to": ["section": "main"]]
                try anna.submit([["insert": insert]])
                try anna.readUntilAnswered()
            }
            let line: JSON = ["what": "items", "used": .number(8), "limit": .number(10)]
            try anna.read(until: "a warning") { !$0.nearLimits.isEmpty }
            let bert = try JoinProcess("bert", room: "room1", at: server.address)
            try bert.read(until: "a warning") { !$0.nearLimits.isEmpty }
            for client in [anna, bert] {
                #expect(try client.finish() == .exit(0))
                #expect(client.nearLimits == [line])
            }
        }

        @Test func documentedLinesAreTaken() throws {
            let server = try ServerProcess()
            let writer = try preparedRoom(at: server)
            let client = try JoinProcess("reader", room: "room1", at: server.address)
            #expect(client.welcomes.first?["room"] == "room1")
            #expect(client.welcomes.first?["role"] == "admin")
            #expect(client.welcomes.first?["protocol"]?.text?.hasPrefix("1.") == true)
            #expect(client.revision == 41)
            for line in DocumentedLines.transactions { try client.submit(line: line) }
            try client.read(until: "answers") { $0.acknowledged.count + $0.rejected.count == 4 }
            try client.read(untilRevision: 45)

            #expect(client.rejected == [:])
            #expect(client.acknowledged == [1: 42, 7: 43, 8: 44, 9: 45])
            // The section that the last line inserts exists already; everything else is applied.
            #expect(client.superseded == [9: [["op": 0, "reason": "exists"]]])
            let room = try client.room
            #expect(room.sectionIdentifiers == ["done"])
            #expect(room.sections[0].content["fields"] == ["title": "Did"])
            #expect(room.items == [])
            #expect(try server.export("room1") == room)
            try writer.read(untilRevision: 45)
            #expect(try writer.room == room)
            #expect(try client.finish() == .exit(0))
            #expect(try writer.finish() == .exit(0))
        }

        @Test func laterFeaturesAreUnsupported() throws {
            let server = try ServerProcess()
            let client = try JoinProcess("a", room: "room1", at: server.address)
            for line in DocumentedLines.later { try client.write(line: line) }
            try client.read(until: "errors") { $0.errors.count == DocumentedLines.later.count }
            #expect(client.errors.allSatisfy { $0["code"] == "unsupported" }, "\(client.errors)")
            try client.submit([["insert": ["item": ["id": "milk"], "to": ["section": "main"]]]])
            try client.readUntilAnswered()
            #expect(client.acknowledged == [1: 1])
            #expect(try client.finish() == .exit(0))
        }

        /// An unreadable line is an error whose message names the place. The other lines are
        /// processed, and the exit code reports the error.
        @Test func unreadableLinesAreErrors() throws {
            let server = try ServerProcess()
            let client = try JoinProcess("a", room: "room1", at: server.address)
            for line in DocumentedLines.unreadable { try client.write(line: line) }
            try client.submit([["insert": ["item": ["id": "milk"], "to": ["section": "main"]]]])
            try client.readUntilAnswered()
            #expect(client.errors.count == DocumentedLines.unreadable.count, "\(client.errors)")
            #expect(client.errors.allSatisfy { $0["message"]?.text?.isEmpty == false })
            let unknownKey = client.errors.first?["message"]?.text ?? ""
            #expect(unknownKey.contains("colour"), "\(unknownKey)")
            #expect(try client.finish() == .exit(65))
            #expect(try server.export("room1").identifiers == ["milk"])
        }

        @Test func refusedTransactionsAreNamed() throws {
            let server = try ServerProcess()
            let client = try JoinProcess("a", room: "room1", at: server.address)
            try client.submit([
                ["insert": ["item": ["id": "milk"], "to": ["section": "main"]]],
                ["move": ["id": "nowhere", "to": ["section": "main"]]],
            ])
            try client.submit(line: #"{"ops":[{"delete":{"id":"milk"}}],"base":7}"#)
            try client.submit([["insert": ["item": ["id": "tea"], "to": ["section": "other"]]]])
            try client.readUntilAnswered()
            #expect(client.acknowledged == [:])
            #expect(client.rejected[1]?["code"] == "unknownItem")
            #expect(client.rejected[1]?["op"] == 1)
            #expect(client.rejected[2]?["code"] == "badBase")
            #expect(client.rejected[3]?["code"] == "unknownSection")
            #expect(try client.room.items == [])
            #expect(try client.finish() == .exit(65))
        }

        /// A number that is in flight twice would get only one answer, so its second line is not
        /// sent. After the answer the number may be used again and is answered again.
        @Test func aNumberUsedTwiceIsAnsweredTwice() throws {
            let server = try ServerProcess()
            func insert(_ id: String) -> String {
                #"{"ops":[{"insert":{"item":{"id":"\#(id)"},"to":{"section":"main"}}}],"tx":7}"#
            }
            let together = try CommandResult.client(
                ["join", "room1"], at: server, input: insert("milk") + "\n" + insert("eggs"))
            let answers = try together.json.filter { $0["ack"] != nil || $0["error"] != nil }
            #expect(answers.count == 2, "\(together)")
            for error in answers.compactMap({ $0["error"] }) {
                #expect(error["code"] == "malformed")
                #expect(error["message"]?.text?.hasPrefix("line 2: tx: ") == true, "\(error)")
            }

            let client = try ChildProcess(
                Program.client, ["--server", server.address, "join", "room2"])
            for id in ["milk", "eggs"] {
                try client.write(insert(id) + "\n")
                var line = try client.output.next()
                while let other = line, !other.hasPrefix(#"{"ack":{"tx":7,"#) {
                    line = try client.output.next()
                }
                #expect(line == #"{"ack":{"tx":7,"revision":1}}"#)
            }
            client.closeInput()
            #expect(try client.wait() == .exit(0))
            #expect(try server.export("room2").identifiers == ["milk"])
        }

        /// The lines of the vectors are no meaningful session, but the session ends.
        @Test func theGoldenLinesHaveAnEnd() throws {
            let server = try ServerProcess()
            let file = URL(filePath: #filePath)
                .appending(path: "../../../Protocol/vectors/json.jsonl").standardized
            let vectors = try String(contentsOf: file, encoding: .utf8)
            let lines = try vectors.split(separator: "\n").compactMap {
                try JSON(String($0))["in"]?.text
            }
            #expect(lines.count > 50)
            let result = try CommandResult.client(
                ["join", "room1"], at: server, input: lines.joined(separator: "\n"))
            #expect(result.ending == .exit(65), "\(result.errors)")
        }

        /// Output that can't be written ends the program, even if nothing was written before and
        /// lines may still come.
        @Test(arguments: [(">/dev/full", 74), (">&-", 74), ("| true", 0)])
        func outputThatFailsEndsIt(_ redirection: String, exitCode: Int32) throws {
            let server = try ServerProcess()
            let client = try ChildProcess(
                URL(filePath: "/bin/sh"),
                [
                    "-c", #""$0" "$@" \#(redirection)"#, try Program.client.path, "--server",
                    server.address, "join", "room1",
                ])
            #expect(try client.wait() == .exit(exitCode), "\(client.transcript)")
        }

        /// After the message that the server is unreachable comes one that it is back, even if
        /// nothing changed.
        @Test func aConnectionThatIsBackIsSaid() throws {
            let server = try ServerProcess()
            let client = try JoinProcess("a", room: "room1", at: server.address)
            try client.submit([["insert": ["item": ["id": "milk"], "to": ["section": "main"]]]])
            try client.readUntilAnswered()
            try server.kill()
            try client.read(until: "an error") { !$0.errors.isEmpty }
            try server.restart()
            try client.read(until: "another welcome") { $0.welcomes.count == 2 }
            #expect(client.welcomes[1]["changed"] == nil)
            #expect(client.welcomes[1]["id"] == client.welcomes[0]["id"])
            #expect(try client.finish() == .exit(0))
        }

        @Test func lostOperationsAreNamed() throws {
            let server = try ServerProcess()
            let client = try JoinProcess("a", room: "room1", at: server.address)
            let other = try JoinProcess("b", room: "room1", at: server.address)
            try client.submit([
                ["insert": ["item": ["id": "milk"], "to": ["section": "main"]]],
                ["insert": ["item": ["id": "eggs"], "to": ["section": "main"]]],
            ])
            try client.readUntilAnswered()
            try other.read(untilRevision: 1)
            try other.submit([["delete": ["id": "milk"]]])
            try other.readUntilAnswered()
            try client.submit(
                line: """
                    {"ops":[{"update":{"id":"milk","set":{"a":1}}},{"move":{"id":"eggs",\
                    "to":{"section":"main","index":0}}},{"update":{"id":"eggs","set":{"a":"text"}}},\
                    {"increment":{"id":"eggs","field":"a","by":1}}],"base":1}
                    """)
            try client.readUntilAnswered()
            #expect(
                client.superseded == [
                    2: [["op": 0, "reason": "deleted"], ["op": 3, "reason": "notNumber"]]
                ])
            #expect(try client.finish() == .exit(0))
        }

        /// At the end of its input the client waits for its answers, however fast the input came.
        @Test func endOfInputWaitsForAnswers() throws {
            let server = try ServerProcess()
            let lines = (0..<100).map {
                #"{"ops":[{"insert":{"item":{"id":"item-\#($0)"},"to":{"section":"main"}}}]}"#
            }
            let result = try CommandResult.client(
                ["join", "room1"], at: server, input: lines.joined(separator: "\n"))
            #expect(result.ending == .exit(0))
            #expect(try result.json.filter { $0["ack"] != nil }.count == 100)
            #expect(try server.export("room1").items.count == 100)
        }
    }
}

/// The lines in the documentation of the format.
private enum DocumentedLines {
    static let transactions = [
        #"""
        {"ops":[{"insert":{"item":{"id":"milk","fields":{"title":"Milk"},"size":{"width":120,"height":80}},"to":{"section":"main","after":"eggs"}}}]}
        """#,
        #"""
        {"ops":[{"move":{"id":"milk","to":{"section":"done","index":0}}},{"update":{"id":"milk","set":{"done":true},"unset":["note"]}}],"base":41,"tx":7}
        """#,
        #"""
        {"ops":[{"delete":{"id":"milk"}},{"increment":{"id":"eggs","field":"count","by":2}}]}
        """#,
        #"""
        {"ops":[{"insertSection":{"section":{"id":"done","fields":{"title":"Done"}},"to":{"after":"main"}}},{"moveSection":{"id":"done","to":{"index":0}}},{"updateSection":{"id":"done","set":{"title":"Did"}}},{"deleteSection":{"id":"main"}}]}
        """#,
    ]

    static let later = [
        #"{"undo":{}}"#, #"{"redo":{}}"#,
    ]

    static let unreadable = [
        #"{"ops":[{"insert":{"item":{"id":"milk","colour":"red"},"to":{"section":"main"}}}]}"#,
        "nonsense", "[]", "{}", #"{"ops":[{"delete":{"id":""}}]}"#,
        #"{"ops":[{"delete":{"id":"milk","id":"eggs"}}]}"#, #"{"ops":[{"delete":{"id":"milk"}}]"#,
    ]
}
