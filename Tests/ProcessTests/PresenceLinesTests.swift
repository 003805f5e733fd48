import Testing

extension ProcessTests {
    /// The members of a room in the lines of `join`.
    @Suite struct PresenceLinesTests {
        private func insert(_ identifier: String) -> JSON {
            ["insert": ["item": ["id": .text(identifier)], "to": ["section": "main"]]]
        }

        @Test func membersSeeEachOther() throws {
            let server = try ServerProcess()
            let anna = try JoinProcess("anna", room: "room1", at: server.address)
            let bert = try JoinProcess("bert", room: "room1", at: server.address)
            let annasClient = try #require(anna.client)
            let bertsClient = try #require(bert.client)
            try anna.read(until: "bert") {
                $0.others == [bertsClient: ["client": .text(bertsClient)]]
            }
            try bert.read(until: "anna") { !$0.others.isEmpty }

            // In one write: the selected item exists when it is selected.
            try anna.submit([insert("milk"), insert("eggs")])
            try anna.write(
                line: #"{"presence":{"selected":["milk"],"highlighted":["eggs","none"],"#
                    + #""custom":{"color":"teal"}}}"#)
            let shown: JSON = [
                "client": .text(annasClient), "selected": ["milk"], "highlighted": ["eggs"],
                "custom": ["color": "teal"],
            ]
            try bert.read(until: "what anna shows") { $0.others[annasClient] == shown }

            try bert.submit([["delete": ["id": "milk"]]])
            try bert.read(until: "the end of the selection") {
                $0.others[annasClient]?["selected"] == nil
            }
            let late = try JoinProcess("late", room: "room1", at: server.address)
            try late.read(until: "the others") {
                $0.others.count == 2 && $0.others[annasClient]?["highlighted"] == ["eggs"]
            }
            #expect(late.others[annasClient]?["selected"] == nil)
            for client in [anna, bert, late] {
                #expect(try client.finish() == .exit(0))
                #expect(client.errors == [])
            }
        }

        @Test func whoIsKilledIsGoneAtOnce() throws {
            let server = try ServerProcess()
            let anna = try JoinProcess("anna", room: "room1", at: server.address)
            let victim = try JoinProcess("victim", room: "room1", at: server.address)
            try anna.read(until: "the victim") { $0.others.count == 1 }
            try victim.kill()
            // Long before a heartbeat, which comes every fifteen seconds, could notice.
            try anna.read(until: "its end", within: 10) { $0.others.isEmpty }
            #expect(try anna.finish() == .exit(0))
        }

        /// Without the server no member is visible. With it all members are back, with their former
        /// presence.
        @Test func membersComeBackWithTheServer() throws {
            let server = try ServerProcess()
            let anna = try JoinProcess(
                "anna", room: "room1", at: server.address, mayLoseConnection: true)
            let bert = try JoinProcess(
                "bert", room: "room1", at: server.address, mayLoseConnection: true)
            let client = try #require(bert.client)
            try bert.submit([insert("milk")])
            try bert.write(line: #"{"presence":{"selected":["milk"]}}"#)
            try anna.read(until: "what bert shows") {
                $0.others[client]?["selected"] == ["milk"]
            }
            try server.kill()
            try anna.read(until: "the end") { $0.others.isEmpty }
            try server.restart()
            try anna.read(until: "what bert shows again") {
                $0.others[client]?["selected"] == ["milk"]
            }
            #expect(try anna.finish() == .exit(0))
            #expect(try bert.finish() == .exit(0))
        }

        @Test func whatCantBeShownIsAnError() throws {
            let server = try ServerProcess()
            let client = try JoinProcess("a", room: "room1", at: server.address)
            let many = (0...1000).map { "\"i\($0)\"" }.joined(separator: ",")
            try client.write(line: #"{"presence":{"selected":[\#(many)]}}"#)
            try client.read(until: "the error") { !$0.errors.isEmpty }
            #expect(client.errors.first?["code"] == "limitExceeded")
            try client.submit([insert("milk")])
            try client.readUntilAnswered()
            #expect(try client.finish() == .exit(0))
        }
    }
}
