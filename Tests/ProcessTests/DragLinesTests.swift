import Glibc
import Testing

extension ProcessTests {
    /// Drags by lines of `join`.
    @Suite struct DragLinesTests {
        /// A room of six items, 100 wide and 10 high, `i0` and so on from top to bottom.
        private func room(at server: ServerProcess) throws -> JoinProcess {
            let client = try JoinProcess("writer", room: "room1", at: server.address)
            try client.submit(
                (0..<6).map { index in
                    let size: JSON = ["width": 100, "height": 10]
                    let item: JSON = ["id": .text("i\(index)"), "size": size]
                    return ["insert": ["item": item, "to": ["section": "main"]]]
                })
            try client.readUntilAnswered()
            return client
        }

        private func viewer(at server: ServerProcess) throws -> ChildProcess {
            let viewer = try ChildProcess(
                Program.client, ["--server", server.address, "join", "room1", "--view-only"])
            let layout = #"{"kind":"flow","minimumLineSpacing":0}"#
            let bounds = #"{"width":100,"height":60}"#
            try viewer.write(
                #"{"view":{"id":"v1","layout":\#(layout),"bounds":\#(bounds)}}"# + "\n")
            return viewer
        }

        private func order(_ screen: PrintedScreen) -> [String] {
            func top(_ element: JSON) -> Int { element["frame"]?["y"]?.integer ?? 0 }
            return screen.elements.sorted { top($0) < top($1) }.compactMap { $0["id"]?.text }
        }

        /// Reads on until the screen has this order.
        ///
        /// - Returns: the other lines.
        @discardableResult
        private func read(
            _ process: ChildProcess, into screen: inout PrintedScreen, until order: [String]
        ) throws -> [String] {
            var others: [String] = []
            while self.order(screen) != order {
                guard let line = try process.output.next() else {
                    throw TestFailure("the program has ended: \(process.transcript)")
                }
                try screen.take(line)
                if !line.hasPrefix(#"{"viewUpdate":"#) { others.append(line) }
            }
            return others
        }

        private let plain = ["i0", "i1", "i2", "i3", "i4", "i5"]
        private let moved = ["i1", "i2", "i3", "i0", "i4", "i5"]

        @Test func aSharedDragIsSeenAndMovesOnce() throws {
            let server = try ServerProcess()
            _ = try room(at: server)
            let (anna, bert) = (try viewer(at: server), try viewer(at: server))
            var (own, other) = (PrintedScreen("v1"), PrintedScreen("v1"))
            try read(bert, into: &other, until: plain)
            // The steps need no waiting: the server applies them in order.
            try anna.write(#"{"drag":{"begin":{"id":"i0","view":"v1","shared":true}}}"# + "\n")
            try anna.write(#"{"drag":{"update":{"x":50,"y":35}}}"# + "\n")
            var told = try read(bert, into: &other, until: moved)
            let drag = #""drag":{"id":"i0","to":{"section":"main","after":"i3"}}"#
            while !told.contains(where: { $0.contains(drag) }) {
                told.append(try #require(try bert.output.next(), "no presence shows the drag"))
            }
            var heard = try read(anna, into: &own, until: moved)
            let target = #"{"dragTarget":{"view":"v1","to":{"section":"main","after":"i3"}}}"#
            while !heard.contains(target) {
                heard.append(try #require(try anna.output.next(), "there is no target of the drag"))
            }
            #expect(try server.export("room1").identifiers == plain, "nothing is moved yet")
            try anna.write(#"{"drag":{"end":{}}}"# + "\n")
            anna.closeInput()
            var answers: [String] = []
            while let line = try anna.output.next() {
                if line.hasPrefix(#"{"ack":"#) { answers.append(line) }
                try own.take(line)
                #expect(order(own) == moved, "the item does not move back")
            }
            #expect(answers == [#"{"ack":{"tx":1,"revision":2}}"#])
            #expect(try anna.wait() == .exit(0), "\(anna.transcript)")
            #expect(try server.export("room1").identifiers == moved)
        }

        @Test func aClientThatDiesPutsEverythingBack() throws {
            let server = try ServerProcess()
            _ = try room(at: server)
            let (anna, bert) = (try viewer(at: server), try viewer(at: server))
            var other = PrintedScreen("v1")
            try anna.write(#"{"drag":{"begin":{"id":"i0","view":"v1","shared":true}}}"# + "\n")
            try anna.write(#"{"drag":{"update":{"x":50,"y":35}}}"# + "\n")
            try read(bert, into: &other, until: moved)
            anna.send(signal: SIGKILL)
            try read(bert, into: &other, until: plain)
            #expect(try server.export("room1").identifiers == plain)
        }

        @Test func whatCannotBeDraggedIsAnError() throws {
            let server = try ServerProcess()
            let client = try room(at: server)
            try client.write(line: #"{"drag":{"begin":{"id":"i0","view":"v9"}}}"#)
            try client.write(line: #"{"drag":{"end":{}}}"#)
            try client.write(line: #"{"drag":{"update":{"x":1}}}"#)
            try client.read(until: "errors") { $0.errors.count == 3 }
            let codes = client.errors.compactMap { $0["code"]?.text }
            #expect(codes.sorted() == ["badDrag", "badDrag", "malformed"])
            #expect(try client.finish() == .exit(65))
        }
    }
}
