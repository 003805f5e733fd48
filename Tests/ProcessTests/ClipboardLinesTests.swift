import Testing

extension ProcessTests {
    /// Cut, copy and paste by lines of `join`.
    @Suite struct ClipboardLinesTests {
        /// A client in a room of milk, eggs and tea.
        private func start(_ room: String, at server: ServerProcess) throws -> JoinProcess {
            let client = try JoinProcess("\(room)'s", room: room, at: server.address)
            try client.submit(
                ["milk", "eggs", "tea"].map { name in
                    let item: JSON = ["id": .text(name), "fields": ["title": .text("the \(name)")]]
                    return ["insert": ["item": item, "to": ["section": "main"]]]
                })
            try client.readUntilAnswered()
            try client.read(untilRevision: 1)
            return client
        }

        /// Writes a line and reads the resulting clipboard.
        private func clipboard(_ line: String, by client: JoinProcess) throws -> JSON {
            let count = client.clipboards.count
            try client.write(line: line)
            try client.read(until: "a clipboard") { $0.clipboards.count > count }
            return try #require(client.clipboards.last)
        }

        /// Pastes, and returns the ids of the pasted items.
        private func paste(_ members: [String: JSON], by client: JoinProcess) throws -> [String] {
            let count = client.pasted.count
            try client.submit(line: JSON.object(["paste": .object(members)]).line)
            try client.read(until: "the paste") { $0.pasted.count > count }
            let pasted = try #require(client.pasted.last)
            try client.read(untilRevision: try pasted.index("revision"))
            return pasted["ids"]?.list?.compactMap(\.text) ?? []
        }

        @Test func withinARoom() throws {
            let server = try ServerProcess()
            let client = try start("room1", at: server)
            let end: [String: JSON] = ["to": ["section": "main"]]
            let copied = try clipboard(#"{"copy":{"ids":["tea","milk"]}}"#, by: client)
            #expect(copied["room"] == "room1")
            #expect(copied["id"] == client.welcomes.first?["id"])
            #expect(copied["epoch"] == client.welcomes.first?["epoch"])
            #expect(copied["revision"] == 1)
            #expect(copied["cut"] == nil)
            #expect(
                copied["items"] == [
                    ["id": "milk", "fields": ["title": "the milk"]],
                    ["id": "tea", "fields": ["title": "the tea"]],
                ])
            let copies = try paste(end, by: client)
            #expect(copies.count == 2)
            #expect(try client.room.identifiers == ["milk", "eggs", "tea"] + copies)

            let cut = try clipboard(#"{"cut":{"ids":["milk"]}}"#, by: client)
            #expect(cut["cut"] == true)
            #expect(try paste(end, by: client) == ["milk"])
            #expect(try client.room.identifiers == ["eggs", "tea"] + copies + ["milk"])
            let again = try paste(["to": ["before": "eggs"]], by: client)
            #expect(again.count == 1 && again != ["milk"])
            #expect(try client.room.identifiers == again + ["eggs", "tea"] + copies + ["milk"])
            #expect(client.unanswered == 0)
            #expect(try client.finish() == .exit(0))
            #expect(client.errors == [])
        }

        @Test func betweenRooms() throws {
            let server = try ServerProcess()
            let source = try start("room1", at: server)
            let target = try JoinProcess("target", room: "room2", at: server.address)
            let cut = try clipboard(#"{"cut":{"ids":["milk","tea"]}}"#, by: source)
            let pasted = try paste(["clipboard": cut, "to": ["section": "main"]], by: target)
            try source.read(untilRevision: 2)
            #expect(try source.room.identifiers == ["eggs"])
            #expect(try target.room.identifiers == pasted)
            #expect(
                try target.room.items.map { $0["fields"] } == [
                    ["title": "the milk"], ["title": "the tea"],
                ])
            #expect(try server.export("room1") == source.room)
            #expect(try server.export("room2") == target.room)
            for client in [source, target] {
                #expect(try client.finish() == .exit(0))
                #expect(client.errors == [])
            }
        }

        /// Two programs, and somebody who edits the item meanwhile.
        @Test func anEditBetweenCutAndPasteIsNotLost() throws {
            let server = try ServerProcess()
            let source = try start("one", at: server)
            let target = try JoinProcess("target", room: "two", at: server.address)
            let other = try JoinProcess("other", room: "one", at: server.address)
            let cut = try clipboard(#"{"cut":{"ids":["eggs"]}}"#, by: source)
            try other.submit([["update": ["id": "eggs", "set": ["title": "new"]]]])
            try other.readUntilAnswered()
            let pasted = try paste(["clipboard": cut, "to": ["section": "main"]], by: target)
            #expect(try target.room.items.map { $0["fields"] } == [["title": "the eggs"]])
            #expect(pasted.count == 1)
            try target.read(until: "an error") { !$0.errors.isEmpty }
            #expect(target.errors.map { $0["code"] } == ["changed"])
            let left = try server.export("one").items.first { $0["id"] == "eggs" }
            #expect(left?["fields"] == ["title": "new"])
        }

        @Test func aBaseSaysWhatItIsOf() throws {
            let server = try ServerProcess()
            let client = try start("room1", at: server)
            let welcome = try #require(client.welcomes.first)
            func delete(_ id: String, of origin: [String: JSON]) throws {
                var line: [String: JSON] = [
                    "ops": [["delete": ["id": .text(id)]]], "base": 1,
                ]
                line.merge(origin) { $1 }
                try client.submit(line: JSON.object(line).line)
                try client.readUntilAnswered()
            }
            let none = String(repeating: "0", count: 32)
            try delete("milk", of: ["id": .text(none), "epoch": .text(String(none.prefix(16)))])
            #expect(client.rejected.values.map { $0["code"] } == ["roomChanged"])
            try delete(
                "eggs", of: ["id": welcome["id"] ?? "", "epoch": welcome["epoch"] ?? ""])
            try client.read(untilRevision: 2)
            #expect(try client.room.identifiers == ["milk", "tea"])
            #expect(try client.finish() == .exit(65))
        }

        @Test func whatCantBeDoneIsAnError() throws {
            let server = try ServerProcess()
            let client = try start("room1", at: server)
            for line in [
                #"{"paste":{"to":{"section":"main"}}}"#, #"{"copy":{"ids":["none"]}}"#,
                #"{"cut":{"ids":["milk","none"]}}"#,
            ] {
                try client.write(line: line)
            }
            try client.read(until: "errors") { $0.errors.count == 3 }
            #expect(
                client.errors.map { $0["code"] } == [
                    "nothingToPaste", "unknownItem", "unknownItem",
                ])
            // A refusal is reported like any other.
            _ = try clipboard(#"{"copy":{"ids":["milk"]}}"#, by: client)
            try client.submit(line: #"{"paste":{"to":{"section":"none"}}}"#)
            try client.readUntilAnswered()
            #expect(client.rejected.values.map { $0["code"] } == ["unknownSection"])
            #expect(client.pasted == [])
            #expect(try client.finish() == .exit(65))
        }
    }
}
