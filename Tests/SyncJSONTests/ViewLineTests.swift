import ModelSupport
import SyncJSON
import SyncLayout
import SyncModel
import Testing

/// The lines about a view's screen.
@Suite struct ViewLineTests {
    private static let end =
        #""frame":{"x":0,"y":60.5,"width":50,"height":40},"zIndex":0,"scale":1"#
    private static let cell = #""category":"cell","section":0,"item":3"#

    private func expect(
        _ line: ViewLine, is expected: String, _ location: SourceLocation = #_sourceLocation
    ) throws {
        let expected = #"{"viewUpdate":{\#(expected)}}"#
        #expect(text(of: .viewUpdate(line)) == expected, sourceLocation: location)
        #expect(try readServerLine(expected) == .viewUpdate(line), sourceLocation: location)
    }

    private func element(_ identity: LayoutElement.Identity) -> LayoutElement {
        LayoutElement(identity, frame: ListRect(y: 60.5, width: 50, height: 40))
    }

    private let path = ItemPath(section: 0, item: 3)

    @Test func `what appears begins somewhere and shows something`() throws {
        let milk = Identifier("milk")
        let after = element(.cell(path))
        var before = after
        before.alpha = 0
        let entry = ViewLine.Entry(
            from: before, to: after, id: milk, content: .item(Item(id: milk)))
        let (cell, end) = (Self.cell + #","id":"milk""#, Self.end)
        try expect(
            ViewLine(
                view: "v1", revision: 42, contentSize: ListSize(width: 375, height: 0.5),
                appeared: [entry]),
            is: #""view":"v1","revision":42,"contentSize":{"width":375,"height":0.5},"#
                + #""appeared":[{"element":{\#(cell),\#(end)},"#
                + #""initial":{\#(cell),\#(end),"alpha":0},"content":{"id":"milk"}}]"#)
    }

    @Test func `what changes does so from one to another`() throws {
        let header = element(.supplementary(kind: LayoutElement.header, section: 1))
        var pinned = header
        pinned.frame.y = 99
        pinned.zIndex = 1
        let section = ListSection(id: Identifier("done"))
        let badge = element(.itemSupplementary(kind: "badge", path))
        var hidden = badge
        hidden.isHidden = true
        hidden.scale = 0.1
        let headerText = #""category":"supplementary","kind":"header","section":1,"id":"done""#
        let badgeText =
            #""category":"supplementary","kind":"badge","section":0,"item":3,"id":"milk""#
        let frame = #""frame":{"x":0,"y":99,"width":50,"height":40}"#
        let shrunk = Self.end.replacing(#""scale":1"#, with: #""scale":0.1,"hidden":true"#)
        try expect(
            ViewLine(
                view: "v", revision: 1, offset: ListPoint(x: -1, y: 7),
                changed: [
                    ViewLine.Entry(
                        from: header, to: pinned, id: "done", content: .section(section)),
                    ViewLine.Entry(from: badge, to: hidden, id: "milk"),
                ]),
            is: #""view":"v","revision":1,"offset":{"x":-1,"y":7},"changed":["#
                + #"{"from":{\#(headerText),\#(Self.end)},"#
                + #""to":{\#(headerText),\#(frame),"zIndex":1,"scale":1},"#
                + #""content":{"id":"done"}},"#
                + #"{"from":{\#(badgeText),\#(Self.end)},"to":{\#(badgeText),\#(shrunk)}}]"#)
    }

    @Test func `what disappears shows nothing new`() throws {
        let card = element(.decoration(kind: "card", section: 2))
        var gone = card
        gone.alpha = 0
        let cardText = #""category":"decoration","kind":"card","section":2,"id":"done""#
        try expect(
            ViewLine(
                view: "v", revision: 1,
                disappeared: [ViewLine.Entry(from: card, to: gone, id: "done")]),
            is: #""view":"v","revision":1,"disappeared":["#
                + #"{"element":{\#(cardText),\#(Self.end)},"#
                + #""final":{\#(cardText),\#(Self.end),"alpha":0}}]"#)
    }

    @Test func `two spellings of a kind are two`() throws {
        let entries = Spellings.all.map { kind in
            let card = element(.decoration(kind: id(kind), section: 0))
            return ViewLine.Entry(from: card, to: card)
        }
        let elements = Spellings.all.map {
            #"{"category":"decoration","kind":"\#($0)","section":0,\#(Self.end)}"#
        }
        let line = ViewLine(view: "v", revision: 1, changed: entries)
        #expect(Set(entries.map(\.to.identity)).count == entries.count)
        let changed = elements.map { #"{"from":\#($0),"to":\#($0)}"# }.joined(separator: ",")
        let text = #"{"viewUpdate":{"view":"v","revision":1,"changed":[\#(changed)]}}"#
        let read = try readServerLine(text)
        #expect(read == .viewUpdate(line))
        for line in [.viewUpdate(line), read] {
            #expect(SyncJSONTests.text(of: line).utf8.elementsEqual(text.utf8))
        }
    }

    @Test func `a screen that stays as it is`() throws {
        try expect(ViewLine(view: "v", revision: 7), is: #""view":"v","revision":7"#)
    }

    @Test func `a line that is too long has no text`() throws {
        let milk = try Item("milk", ["t": .text(String(repeating: "x", count: 100))])
        let badge = element(.itemSupplementary(kind: "badge", path))
        let entry = ViewLine.Entry(from: badge, to: badge, content: .item(milk))
        let gone = ViewLine.Entry(from: badge, to: badge)
        let line = ViewLine(
            view: "v", revision: 1, appeared: [entry, entry], changed: [entry, gone],
            disappeared: [gone])
        let whole = text(of: .viewUpdate(line)) + "\n"
        let count = whole.utf8.count
        let written = try #require(line.text(atMost: count))
        #expect(String(decoding: written.bytes, as: UTF8.self) == whole)
        for limit in 0..<count { #expect(line.text(atMost: limit) == nil) }
        #expect(line.weight >= 3 * 100)
    }

    /// A server may send wrong numbers. They must not crash a program that writes them.
    @Test func `numbers that are none are written as 0`() throws {
        var odd = element(.cell(path))
        odd.frame = ListRect(x: .nan, y: .infinity, width: -.infinity, height: 1)
        (odd.alpha, odd.scale, odd.zIndex) = (.nan, .infinity, -1 << 53)
        let line = ViewLine(
            view: "v", revision: 1, contentSize: ListSize(width: .nan, height: .infinity),
            offset: ListPoint(x: .nan, y: 2), changed: [ViewLine.Entry(from: odd, to: odd)])
        guard case .viewUpdate(let read) = try readServerLine(text(of: .viewUpdate(line))) else {
            Issue.record("it is another line")
            return
        }
        let element = try #require(read.changed.first?.to)
        #expect(element.frame == ListRect(height: 1))
        #expect(element.alpha == 0)
        #expect(element.scale == 0)
        #expect(read.contentSize == ListSize(width: 0, height: 0))
        #expect(read.offset == ListPoint(y: 2))
    }

    @Test(arguments: [
        ("\(cell),\(end)", #""category":"cell","section":0,\#(end)"#, "to.item"),
        ("\(cell)", "\(cell),\(end)", "from.frame"),
        (#""section":0,"item":3,\#(end)"#, "\(cell),\(end)", "from.category"),
        (#""category":"view","section":0,\#(end)"#, "\(cell),\(end)", "from.category"),
        (#""category":"cell","item":3,\#(end)"#, "\(cell),\(end)", "from.section"),
        (#"\#(cell),"kind":"k",\#(end)"#, "\(cell),\(end)", "from.kind"),
        (#""category":"decoration","section":0,\#(end)"#, "\(cell),\(end)", "from.kind"),
        (#""category":"decoration","kind":"","section":0,\#(end)"#, "\(cell),\(end)", "from.kind"),
        (
            #""category":"supplementary","kind":"a\u0007","section":0,\#(end)"#,
            "\(cell),\(end)", "from.kind"
        ),
        (#"\#(card),"item":0,\#(end)"#, "\(cell),\(end)", "from.item"),
        (#"\#(cell),"id":"",\#(end)"#, "\(cell),\(end)", "from.id"),
        (#"\#(cell),"id":"a",\#(end)"#, #"\#(cell),"id":"b",\#(end)"#, ""),
        (#"\#(cell),"hidden":1,\#(end)"#, "\(cell),\(end)", "from.hidden"),
        (#"\#(cell),"alpha":null,\#(end)"#, "\(cell),\(end)", "from.alpha"),
    ])
    func `an element that is none names its place`(from: String, to: String, path: String) throws {
        let line =
            #"{"viewUpdate":{"view":"v","revision":1,"changed":[{"from":{\#(from)},"#
            + #""to":{\#(to)}}]}}"#
        let place = "viewUpdate.changed[0]" + (path.isEmpty ? "" : ".\(path)")
        #expect(try #require(problem(inServerLine: line)).path == place)
    }

    private static let card = #""category":"decoration","kind":"card","section":0"#

    @Test(arguments: [
        (#""revision":1"#, "view"), (#""view":"v""#, "revision"), (#""view":"""#, "view"),
        (#""view":"v","revision":-1"#, "revision"),
        (#""view":"v","revision":1,"appeared":[{}]"#, "appeared[0].initial"),
        (#""view":"v","revision":1,"appeared":[{"from":{}}]"#, "appeared[0].from"),
        (#""view":"v","revision":1,"disappeared":{}"#, "disappeared"),
        (
            #""view":"v","revision":1,"changed":[{"from":{\#(cell),\#(end)},"#
                + #""to":{\#(cell),\#(end)},"content":{"id":"a","supplementaries":{}}}]"#,
            "changed[0].content.supplementaries"
        ),
        (
            #""view":"v","revision":1,"changed":[{"from":{\#(card),\#(end)},"#
                + #""to":{\#(card),\#(end)},"content":{"id":"a","kind":"k"}}]"#,
            "changed[0].content.kind"
        ),
    ])
    func `a line that is none names its place`(members: String, path: String) throws {
        let error = problem(inServerLine: #"{"viewUpdate":{\#(members)}}"#)
        #expect(try #require(error).path == "viewUpdate.\(path)")
    }
}
