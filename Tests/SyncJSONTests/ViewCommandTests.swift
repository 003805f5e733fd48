import SeededRandom
import SyncJSON
import SyncLayout
import SyncModel
import Testing

/// The commands for views.
@Suite struct ViewCommandTests {
    private func view(_ members: String) throws -> JoinCommand {
        try readCommand(#"{"view":{"id":"v1"\#(members)}}"#)
    }

    @Test(arguments: 1...UInt64(500))
    func `a view command reads back`(seed: UInt64) throws {
        var random = RandomModel(seed: seed)
        let command = JoinCommand.view(try random.viewCommand())
        let line = text(of: command)
        #expect(try readCommand(line) == command, "seed \(seed): \(line)")
    }

    @Test func `what is not said stays as it was`() throws {
        #expect(try view("") == .view(ViewCommand(id: "v1")))
        #expect(
            try view(#","bounds":{"y":60.5}"#)
                == .view(ViewCommand(id: "v1", bounds: ListRect(y: 60.5))))
        #expect(try view(#","overscan":0"#) == .view(ViewCommand(id: "v1", overscan: 0)))
        #expect(
            try view(#","layout":{"kind":"circle"}"#)
                == .view(ViewCommand(id: "v1", layout: ViewLayout(LayoutSpec(kind: .circle)))))
        #expect(try view(#","close":true"#) == .view(ViewCommand(id: "v1", isClosed: true)))
        let snapping = ViewCommand(id: "v1", bounds: ListRect(x: 9), snaps: true)
        #expect(try view(#","bounds":{"x":9},"snap":true"#) == .view(snapping))
        let anchor = ItemAnchor(item: Identifier("milk"), distance: ListPoint(y: 20))
        #expect(
            try view(#","anchor":{"id":"milk","y":20}"#)
                == .view(ViewCommand(id: "v1", anchor: .item(anchor))))
        #expect(
            try view(#","anchor":{"beginning":false,"id":"milk","y":20}"#)
                == .view(ViewCommand(id: "v1", anchor: .item(anchor))))
        #expect(
            try view(#","anchor":{"beginning":true}"#)
                == .view(ViewCommand(id: "v1", anchor: .beginning)))
        #expect(try view(#","close":false"#) == .view(ViewCommand(id: "v1")))
    }

    @Test func `what surrounds the content`() throws {
        let environment = LayoutEnvironment(
            viewport: ListSize(width: 0, height: 0), contentInset: Insets(top: 1),
            safeArea: Insets(left: 2), layoutMargins: Insets(right: 3), pixelScale: 3)
        let layout = ViewLayout(LayoutSpec(kind: .columnFlow), in: environment)
        let members =
            #","pixelScale":3,"contentInset":{"top":1},"safeArea":{"left":2},"#
            + #""layoutMargins":{"right":3},"layout":{"kind":"columnFlow"}"#
        #expect(try view(members) == .view(ViewCommand(id: "v1", layout: layout)))
    }

    @Test(arguments: ["contentInset", "safeArea", "layoutMargins", "pixelScale"])
    func `surroundings have no meaning without a layout`(key: String) throws {
        let value = key == "pixelScale" ? "2" : #"{"top":1}"#
        let error = try #require(problem(in: #"{"view":{"id":"v1","\#(key)":\#(value)}}"#))
        #expect(error.path == "view.\(key)")
        #expect(error.message.contains("layout"))
    }

    @Test(arguments: [
        (#"{"view":{}}"#, "view.id"), (#"{"view":{"id":""}}"#, "view.id"),
        (#"{"view":{"id":1}}"#, "view.id"), (#"{"view":[]}"#, "view"),
        (#"{"view":{"id":"a\u0007"}}"#, "view.id"),
        (#"{"view":{"id":"v","layout":null}}"#, "view.layout"),
        (#"{"view":{"id":"v","layout":{"kind":"grid"}}}"#, "view.layout.kind"),
        (#"{"view":{"id":"v","bounds":{"top":1}}}"#, "view.bounds.top"),
        (#"{"view":{"id":"v","overscan":"1"}}"#, "view.overscan"),
        (#"{"view":{"id":"v","close":1}}"#, "view.close"),
        (#"{"view":{"id":"v","snap":true}}"#, "view.bounds"),
        (#"{"view":{"id":"v","bounds":{},"snap":1}}"#, "view.snap"),
        (#"{"view":{"id":"v","close":true,"overscan":1}}"#, "view.overscan"),
        (#"{"view":{"id":"v","close":true,"anchor":{"id":"a"}}}"#, "view.anchor"),
        (#"{"view":{"id":"v","anchor":{}}}"#, "view.anchor.id"),
        (#"{"view":{"id":"v","anchor":{"id":"a","z":1}}}"#, "view.anchor.z"),
        (#"{"view":{"id":"v","anchor":{"id":"a","x":"1"}}}"#, "view.anchor.x"),
        (#"{"view":{"id":"v","bounds":{},"close":true}}"#, "view.bounds"),
        (#"{"view":{"id":"v","safeArea":{},"close":true}}"#, "view.safeArea"),
        (#"{"view":{"id":"v","sections":[]}}"#, "view.sections"),
        (#"{"view":{"id":"v","rect":{}}}"#, "view.rect"),
        (#"{"view":{"id":"v"},"tx":1}"#, "tx"), (#"{"ops":[],"view":{"id":"v"}}"#, "ops"),
        (#"{"view":{"id":"v"},"undo":{}}"#, "view"),
    ])
    func `what has no meaning names its place`(line: String, path: String) throws {
        #expect(try #require(problem(in: line)).path == path, "\(line)")
    }
}
