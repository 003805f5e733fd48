import LayoutTwin
import ModelSupport
import SeededRandom
import SyncJSON
import SyncLayout
import SyncModel
import Testing

/// What a viewport shows, without a view that is kept open.
@Suite struct ViewPostTests {
    /// A line that opens a view.
    private func line(_ layout: ViewLayout, _ bounds: ListRect) -> String {
        #"{"view":{"id":"v",\#(layout.json.dropFirst().dropLast()),"bounds":{"x":\#(bounds.x),"#
            + #""y":\#(bounds.y),"width":\#(bounds.width),"height":\#(bounds.height)}}}"#
    }

    private func read(_ answer: HTTPClient.Answer) throws -> ViewLine {
        #expect(answer.status == 200, "\(answer.text)")
        let line = try answer.body.withUnsafeBytes { try ServerLine(line: $0) }
        guard case .viewUpdate(let view) = line else {
            throw HTTPRoom.WrongLine(text: answer.text)
        }
        return view
    }

    @Test(arguments: [UInt64](1...40))
    func itShowsWhatTheLibraryLaysOut(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let world = try HTTPWorld(seed: seed) {
            // Small parts: some screens come in several.
            if random.chance(50) { $0.wire.frameBytes = 64 << 10 }
        }
        let room = HTTPRoom(client: try world.connect(), name: "list")
        try room.fill(using: &random)
        let input = RandomLayoutInput(seed: seed, hostile: false)
        let layout = ViewLayout(input.spec, in: input.environment)
        let view = try read(
            try room.client.ask("POST", room.path + "/view", body: line(layout, input.bounds)))

        let snapshot = try room.sections()
        let laidOut = try CollectionLayout(
            input.spec, in: input.environment,
            sections: snapshot.sections.map { SectionInput($0) })
        let elements = try laidOut.elements(in: input.bounds, bounds: input.bounds)
        #expect(view.view == "v" && !view.hasMore && view.revision == snapshot.revision)
        #expect(view.contentSize == laidOut.contentSize(in: input.bounds))
        #expect(view.appeared.map(\.to) == elements, "seed \(seed)")
        for entry in view.appeared {
            guard case .cell(let path) = entry.to.identity else { continue }
            #expect(
                entry.content == .item(snapshot.sections[path.section].items[path.item]))
        }
    }

    /// A layout that runs from right to left begins at its right end.
    @Test func itBeginsAtTheBeginning() throws {
        let room = HTTPRoom(client: try HTTPWorld().connect(), name: "list")
        try room.post(
            (0..<100).map { #"{"insert":{"item":{"id":"i\#($0)"},"to":{"section":"main"}}}"# })
        let answer = try room.client.ask(
            "POST", room.path + "/view",
            body: #"{"view":{"id":"v","layout":{"kind":"flow","scrollDirection":"horizontal","#
                + #""rtl":true},"bounds":{"width":300,"height":50},"anchor":{"beginning":true}}}"#)
        let view = try read(answer)
        #expect(view.offset == ListPoint(x: 5690))
        #expect(view.appeared.map(\.id) == (0..<5).map { id("i\($0)") })
        #expect(answer.head.fields["Collsync-Warning"] == nil)
    }

    @Test func optionsWithoutAnEffectAreNamed() throws {
        let room = HTTPRoom(client: try HTTPWorld().connect(), name: "list")
        try room.post([#"{"insert":{"item":{"id":"a"},"to":{"section":"main"}}}"#])
        let answer = try room.client.ask(
            "POST", room.path + "/view",
            body: #"{"view":{"id":"v","layout":{"kind":"flow","columnCount":3,"zoomFactor":1},"#
                + #""bounds":{"width":300,"height":50}}}"#)
        #expect(answer.status == 200)
        #expect(
            answer.head.fields["Collsync-Warning"] == "flow does not use columnCount, zoomFactor")
    }

    /// All of a screen comes, however many updates the server makes of it.
    @Test func aLargeScreenIsWhole() throws {
        let room = HTTPRoom(client: try HTTPWorld().connect(), name: "list")
        let text = String(repeating: "x", count: 100_000)
        for id in 0..<12 {
            try room.post([
                #"{"insert":{"item":{"id":"i\#(id)","fields":{"t":"\#(text)"}},"#
                    + #""to":{"section":"main"}}}"#
            ])
        }
        let view = try read(
            try room.client.ask(
                "POST", room.path + "/view",
                body: line(ViewLayout(.flow), ListRect(width: 300, height: 400))))
        #expect(view.appeared.count == 12)
        #expect(view.revision == 12)
    }

    /// Each supplementary of an item has the item's content.
    @Test func contentThatIsRepeatedCountsEachTime() throws {
        let room = HTTPRoom(client: try HTTPWorld().connect(), name: "list")
        let text = String(repeating: #"\u0001"#, count: 36_000)
        try room.post([
            #"{"insert":{"item":{"id":"milk","fields":{"t":"\#(text)"}},"#
                + #""to":{"section":"main"}}}"#
        ])
        let answers = try [3, 64].map { count in
            let all = (0..<count).map {
                #"{"kind":"k\#($0)","scope":"item","edge":"center","size":{"width":9,"height":9}}"#
            }
            return try room.client.ask(
                "POST", room.path + "/view",
                body: #"{"view":{"id":"v","layout":{"kind":"flow","supplementaries":["#
                    + all.joined(separator: ",") + #"]},"bounds":{"width":50,"height":60}}}"#)
        }
        #expect(try read(answers[0]).appeared.count == 4)
        #expect(answers[1].status == 422, "\(answers[1].text.prefix(300))")
        #expect(answers[1].text.hasPrefix(#"{"error":{"code":"limitExceeded""#))
    }

    @Test func anAnchorSaysWhereItIs() throws {
        let room = HTTPRoom(client: try HTTPWorld().connect(), name: "list")
        try room.post(
            (0..<100).map {
                #"{"insert":{"item":{"id":"i\#($0)"},"to":{"section":"main"}}}"#
            })
        let view = try read(
            try room.client.ask(
                "POST", room.path + "/view",
                body: #"{"view":{"id":"v","layout":{"kind":"flow"},"#
                    + #""bounds":{"width":50,"height":100},"anchor":{"id":"i50"}}}"#))
        #expect(view.offset == ListPoint(x: 0, y: 3000))
        #expect(view.appeared.first?.id?.text == "i50")
    }

    @Test func itLeavesNothingBehind() throws {
        let world = try HTTPWorld()
        let room = HTTPRoom(client: try world.connect(), name: "list")
        try room.post([#"{"insert":{"item":{"id":"milk"},"to":{"section":"main"}}}"#])
        let opens = line(ViewLayout(.flow), ListRect(width: 300, height: 400))
        for _ in 0..<40 {
            #expect(try room.client.ask("POST", room.path + "/view", body: opens).status == 200)
        }
        let stats = try room.client.ask(room.path + "/stats")
        #expect(stats.text.contains(#""members":0,"#))
        // A view that stayed open would have an update of this.
        try room.post([#"{"insert":{"item":{"id":"eggs"},"to":{"section":"main"}}}"#])
        #expect(try room.sections().revision == 2)
    }

    @Test(arguments: [
        (#"{"view":{"id":"v"}}"#, 400, "malformed"),
        (#"{"view":{"id":"v","close":true}}"#, 400, "malformed"),
        (#"{"ops":[]}"#, 400, "malformed"), ("", 400, "malformed"), ("{", 400, "malformed"),
        (
            #"{"view":{"id":"v","layout":{"kind":"flow"},"bounds":{"width":-1}}}"#, 400,
            "badView"
        ),
        (
            #"{"view":{"id":"v","layout":{"kind":"flow"},"bounds":{},"overscan":1e9}}"#, 422,
            "limitExceeded"
        ),
        (
            #"{"view":{"id":"v","layout":{"kind":"waterfall","columnCount":1000000},"#
                + #""bounds":{"width":1e9,"height":1e9}}}"#, 422, "limitExceeded"
        ),
        (String(repeating: "[", count: 100_000), 400, "malformed"),
        (String(repeating: " ", count: 200_000), 413, "frameTooLarge"),
    ])
    func mistakesHaveReasons(body: String, status: Int, code: String) throws {
        let room = HTTPRoom(client: try HTTPWorld().connect(), name: "list")
        try room.post([#"{"insert":{"item":{"id":"milk"},"to":{"section":"main"}}}"#])
        let answer = try room.client.ask("POST", room.path + "/view", body: body)
        #expect(answer.status == status, "\(answer.text.prefix(300))")
        #expect(answer.text.hasPrefix(#"{"error":{"code":"\#(code)""#), "\(answer.text)")
        // The session is as good as before. The rest of a body that is too long ends it.
        if status == 413 { return }
        let good = line(ViewLayout(.flow), ListRect(width: 300, height: 400))
        #expect(try room.client.ask("POST", room.path + "/view", body: good).status == 200)
    }

    @Test func aMissingRoomIsNotMade() throws {
        let client = try HTTPWorld().connect()
        let opens = line(ViewLayout(.flow), ListRect(width: 300, height: 400))
        #expect(try client.ask("POST", "/v1/rooms/list/view", body: opens).status == 404)
        #expect(try client.ask("/v1/rooms").text == #"{"rooms":[]}"# + "\n")
    }
}
