import SyncJSON
import SyncLayout
import SyncModel
import Testing

/// The examples of the published contract, word for word.
@Suite struct ContractTests {
    private func name(_ text: String) throws -> Identifier { try Identifier(text) }

    private func fields(_ name: String, _ value: Value) throws -> [Field] {
        [Field(name: try Identifier(name), value: value)]
    }

    // MARK: Input

    @Test func `an insert with a size and an anchor`() throws {
        let line =
            #"{"ops":[{"insert":{"item":{"id":"milk","fields":{"title":"Milk"},"size":{"width":120,"height":80}},"to":{"section":"main","after":"eggs"}}}]}"#
        let content = try ItemContent(
            size: ListSize(width: 120, height: 80), fields: try fields("title", .text("Milk")))
        let insert = ListOperation.insert(
            Item(id: try name("milk"), content: content),
            to: Placement(section: try name("main"), position: .after(try name("eggs"))))
        #expect(
            try readCommand(line) == .transaction(operations: [insert], base: nil, tx: nil))
    }

    @Test func `a move and an update with base and number`() throws {
        let line =
            #"{"ops":[{"move":{"id":"milk","to":{"section":"done","index":0}}},{"update":{"id":"milk","set":{"done":true},"unset":["note"]}}],"base":41,"tx":7}"#
        let move = ListOperation.move(
            try name("milk"), to: Placement(section: try name("done"), position: .index(0)))
        let patch = ItemPatch(set: try fields("done", .bool(true)), unset: [try name("note")])
        #expect(
            try readCommand(line)
                == .transaction(
                    operations: [move, .update(try name("milk"), patch)], base: 41, tx: 7))
    }

    @Test func `a delete and an increment`() throws {
        let line =
            #"{"ops":[{"delete":{"id":"milk"}},{"increment":{"id":"eggs","field":"count","by":2}}]}"#
        let operations: [ListOperation] = [
            .delete(try name("milk")),
            .increment(try name("eggs"), field: try name("count"), by: 2),
        ]
        #expect(
            try readCommand(line) == .transaction(operations: operations, base: nil, tx: nil))
    }

    @Test func `sections`() throws {
        let line =
            #"{"ops":[{"insertSection":{"section":{"id":"done","fields":{"title":"Done"}},"to":{"after":"main"}}},{"moveSection":{"id":"done","to":{"index":0}}},{"updateSection":{"id":"done","set":{"title":"Did"}}},{"deleteSection":{"id":"main"}}]}"#
        let done = try name("done")
        let content = try SectionContent(fields: try fields("title", .text("Done")))
        let operations: [ListOperation] = [
            .insertSection(
                ListSection(id: done, content: content),
                to: Placement(position: .after(try name("main")))),
            .moveSection(done, to: Placement(position: .index(0))),
            .updateSection(done, SectionPatch(set: try fields("title", .text("Did")))),
            .deleteSection(try name("main")),
        ]
        #expect(
            try readCommand(line) == .transaction(operations: operations, base: nil, tx: nil))
    }

    @Test(arguments: [
        ("undo", #"{"undo":{}}"#), ("redo", #"{"redo":{}}"#),
    ])
    func `an unsupported command is known by name`(name: String, line: String) throws {
        #expect(try readCommand(line) == .unsupported(name: name))
    }

    @Test func `a drag`() throws {
        let milk = Identifier("milk")
        let steps: [(String, DragCommand)] = [
            (
                #"{"drag":{"begin":{"id":"milk","view":"v1"}}}"#,
                .begin(milk, view: "v1", isShared: false)
            ),
            (
                #"{"drag":{"begin":{"id":"milk","view":"v1","shared":true}}}"#,
                .begin(milk, view: "v1", isShared: true)
            ), (#"{"drag":{"update":{"x":10,"y":240}}}"#, .update(ListPoint(x: 10, y: 240))),
            (#"{"drag":{"end":{}}}"#, .end), (#"{"drag":{"cancel":{}}}"#, .cancel),
        ]
        for (line, step) in steps {
            #expect(try readCommand(line) == .drag(step))
            #expect(text(of: .drag(step)) == line)
        }
    }

    @Test func `a view`() throws {
        let line =
            #"{"view":{"id":"v1","layout":{"kind":"waterfall","columnCount":3},"bounds":{"x":0,"y":0,"width":375,"height":667},"overscan":200}}"#
        var spec = LayoutSpec(kind: .waterfall)
        spec.options.columnCount = 3
        let view = ViewCommand(
            id: "v1", layout: ViewLayout(spec), bounds: ListRect(width: 375, height: 667),
            overscan: 200)
        #expect(try readCommand(line) == .view(view))
        #expect(
            try readCommand(#"{"view":{"id":"v1","close":true}}"#)
                == .view(ViewCommand(id: "v1", isClosed: true)))
    }

    @Test func `what the others are shown`() throws {
        let line = #"{"presence":{"selected":["milk"],"highlighted":[],"custom":{"color":"teal"}}}"#
        let presence = PresenceCommand(
            selected: [try name("milk")], custom: .object(try fields("color", .text("teal"))))
        #expect(try readCommand(line) == .presence(presence))
        #expect(try readCommand(#"{"presence":{}}"#) == .presence(PresenceCommand()))
    }

    @Test func `cut, copy and paste`() throws {
        let ids = [try name("milk"), try name("eggs")]
        #expect(
            try readCommand(#"{"copy":{"ids":["milk","eggs"]}}"#) == .clipboard(.copy(ids)))
        #expect(try readCommand(#"{"cut":{"ids":["milk","eggs"]}}"#) == .clipboard(.cut(ids)))
        let place = Placement(section: try name("done"), position: .index(0))
        #expect(
            try readCommand(#"{"paste":{"to":{"section":"done","index":0}}}"#)
                == .clipboard(.paste(nil, to: place)))
        let clipboard = Clipboard(
            room: "room1", items: [Item(id: try name("milk"))], isCut: true)
        #expect(
            try readCommand(
                #"{"paste":{"clipboard":{"room":"room1","cut":true,"items":[{"id":"milk"}]},"to":{"section":"done","index":0}}}"#
            ) == .clipboard(.paste(clipboard, to: place)))
    }

    @Test func `a base with what it is of`() throws {
        #expect(
            try readCommand(#"{"ops":[],"base":41,"id":"8d…","epoch":"5f…","tx":7}"#)
                == .transaction(
                    operations: [], base: 41, tx: 7, origin: RoomOrigin(id: "8d…", epoch: "5f…")))
        #expect(problem(in: #"{"ops":[],"id":"8d…","epoch":"5f…"}"#)?.path == "base")
        #expect(problem(in: #"{"ops":[],"base":41,"id":"8d…"}"#)?.path == "epoch")
        #expect(problem(in: #"{"ops":[],"base":41,"epoch":"5f…"}"#)?.path == "id")
    }

    @Test func `a trail`() throws {
        let line = #"{"ops":[{"move":{"id":"c","to":{"after":"x","trail":["b","a"]}}}]}"#
        let place = Placement(
            position: .after(try name("x")), trail: [try name("b"), try name("a")])
        #expect(
            try readCommand(line)
                == .transaction(
                    operations: [.move(try name("c"), to: place)], base: nil, tx: nil))
    }

    // MARK: Output

    private func expect(
        _ line: ServerLine, is expected: String, _ location: SourceLocation = #_sourceLocation
    ) throws {
        #expect(text(of: line) == expected, sourceLocation: location)
        #expect(try readServerLine(expected) == line, sourceLocation: location)
    }

    @Test func `a welcome`() throws {
        let welcome = ServerLine.Welcome(
            client: "c-…", user: "…", room: "room1", role: "editor", revision: 41, version: "1.0",
            id: "0123456789abcdef1122334455667788", epoch: "a1b2c3d4e5f60718")
        try expect(
            .welcome(welcome),
            is:
                #"{"welcome":{"client":"c-…","user":"…","room":"room1","role":"editor","revision":41,"protocol":"1.0","id":"0123456789abcdef1122334455667788","epoch":"a1b2c3d4e5f60718"}}"#
        )
    }

    @Test func `a snapshot`() throws {
        let content = try ItemContent(
            size: ListSize(width: 120, height: 80), fields: try fields("title", .text("Eggs")))
        let eggs = Item(id: try name("eggs"), content: content)
        let main = Snapshot.SectionState(section: ListSection(id: try name("main")), items: [eggs])
        try expect(
            .snapshot(room: "room1", Snapshot(revision: 41, sections: [main])),
            is:
                #"{"snapshot":{"room":"room1","revision":41,"sections":[{"id":"main","fields":{},"items":[{"id":"eggs","fields":{"title":"Eggs"},"size":{"width":120,"height":80}}]}]}}"#
        )
    }

    @Test func `answers to transactions`() throws {
        let lost = Superseded(operation: 1, reason: .deleted)
        try expect(
            .ack(tx: 7, Commit(revision: 42, superseded: [lost])),
            is: #"{"ack":{"tx":7,"revision":42,"superseded":[{"op":1,"reason":"deleted"}]}}"#)
        try expect(
            .ack(tx: 7, Commit(revision: 42)), is: #"{"ack":{"tx":7,"revision":42}}"#)
        try expect(
            .reject(tx: 8, Rejection(operation: 0, code: .unknownItem, message: "…")),
            is: #"{"reject":{"tx":8,"op":0,"code":"unknownItem","message":"…"}}"#)
    }

    @Test func `where an item would be dropped`() throws {
        let target = DropTarget(section: try name("main"), after: try name("milk"))
        try expect(
            .dragTarget(DragTargetLine(view: "v1", target: target)),
            is: #"{"dragTarget":{"view":"v1","to":{"section":"main","after":"milk"}}}"#)
        try expect(
            .dragTarget(DragTargetLine(view: "v1", target: DropTarget(section: try name("main")))),
            is: #"{"dragTarget":{"view":"v1","to":{"section":"main"}}}"#)
        try expect(
            .dragTarget(DragTargetLine(view: "v1")), is: #"{"dragTarget":{"view":"v1"}}"#)
    }

    @Test func `another member`() throws {
        let line = PresenceLine(
            client: "c-…", user: "…", selected: [try name("milk")], highlighted: [try name("eggs")],
            custom: .object(try fields("color", .text("teal"))))
        try expect(
            .presence(line),
            is:
                #"{"presence":{"client":"c-…","user":"…","selected":["milk"],"highlighted":["eggs"],"custom":{"color":"teal"}}}"#
        )
        try expect(
            .presence(PresenceLine(client: "c-…", user: "…", name: "Ada L.")),
            is: #"{"presence":{"client":"c-…","user":"…","name":"Ada L."}}"#)
        try expect(
            .presence(PresenceLine(client: "c-…")), is: #"{"presence":{"client":"c-…"}}"#)
        try expect(
            .presence(PresenceLine(client: "c-…", left: true)),
            is: #"{"presence":{"client":"c-…","left":true}}"#)
    }

    @Test func `clipboards, and what was pasted`() throws {
        let item = Item(
            id: try name("milk"),
            content: try ItemContent(fields: try fields("title", .text("Milk"))))
        try expect(
            .clipboard(Clipboard(room: "room1", items: [item], isCut: true)),
            is:
                #"{"clipboard":{"room":"room1","cut":true,"items":[{"id":"milk","fields":{"title":"Milk"}}]}}"#
        )
        try expect(
            .clipboard(
                Clipboard(
                    room: "room1", items: [], isCut: true, revision: 41,
                    origin: RoomOrigin(id: "8d…", epoch: "5f…"))),
            is:
                #"{"clipboard":{"room":"room1","id":"8d…","epoch":"5f…","revision":41,"cut":true,"items":[]}}"#
        )
        try expect(
            .clipboard(Clipboard(room: "room1", items: [])),
            is: #"{"clipboard":{"room":"room1","items":[]}}"#)
        try expect(
            .pasted(PastedLine(ids: [try name("i-1")], revision: 42)),
            is: #"{"pasted":{"ids":["i-1"],"revision":42}}"#)
    }

    @Test func `errors`() throws {
        try expect(
            .error(ServerLine.Failure(code: "…", message: "…", retry: true)),
            is: #"{"error":{"code":"…","message":"…","retry":true}}"#)
        try expect(
            .error(
                ServerLine.Failure(
                    code: "…", message: "…", retry: true, retryAfterMilliseconds: 250)),
            is: #"{"error":{"code":"…","message":"…","retry":true,"retryAfterMilliseconds":250}}"#)
        try expect(
            .reject(
                tx: 8,
                Rejection(code: .unavailable, message: "…", retryAfterMilliseconds: 250)),
            is:
                #"{"reject":{"tx":8,"code":"unavailable","message":"…","retryAfterMilliseconds":250}}"#
        )
    }

    @Test func `a batch of four stages`() throws {
        let milk = Item(id: try name("milk"))
        let done = ListSection(id: try name("done"))
        var stages = [Stage(), Stage(), Stage(), Stage()]
        stages[0].reloads = [.init(path: ItemPath(section: 0, item: 3), item: milk)]
        stages[0].changedSections = [.init(index: 0, section: done)]
        stages[1].insertSections = [.init(index: 1, section: done)]
        stages[1].moveSections = [.init(from: 1, to: 0)]
        stages[2].deletes = [ItemPath(section: 0, item: 3)]
        stages[2].inserts = [.init(path: ItemPath(section: 0, item: 0), item: milk)]
        stages[2].moves = [
            .init(from: ItemPath(section: 0, item: 5), to: ItemPath(section: 1, item: 0))
        ]
        stages[3].deleteSections = [2]
        let batch = Batch(
            from: 41, to: 42, stages: stages, sections: 2,
            counts: [SectionCount(section: 0, items: 4), SectionCount(section: 1, items: 7)])
        // The contract's line, with values in place of `{…}`.
        try expect(
            .batch(batch),
            is:
                #"{"batch":{"from":41,"to":42,"stages":[{"reloads":[{"section":0,"item":3,"content":{"id":"milk"}}],"changedSections":[{"section":0,"content":{"id":"done"}}]},{"insertSections":[{"section":1,"content":{"id":"done"}}],"moveSections":[{"from":1,"to":0}]},{"deletes":[{"section":0,"item":3}],"inserts":[{"section":0,"item":0,"content":{"id":"milk"}}],"moves":[{"from":{"section":0,"item":5},"to":{"section":1,"item":0}}]},{"deleteSections":[2]}],"sections":2,"counts":[{"section":0,"items":4},{"section":1,"items":7}]}}"#
        )
    }

    @Test func `a batch in which nothing differs`() throws {
        try expect(
            .batch(Batch(from: 41, to: 45, sections: 1)),
            is: #"{"batch":{"from":41,"to":45,"stages":[],"sections":1}}"#)
    }
}
