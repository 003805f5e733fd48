import Foundation
import HTTPSupport
import LayoutTwin
import SeededRandom
import SyncJSON
import SyncLayout
import SyncModel
import SyncPicture
import Testing

@testable import SyncHTTP

/// Pictures of rooms.
@Suite struct PictureReadTests {
    private func target(_ room: HTTPRoom, _ format: String, _ query: [String: String]) -> String {
        let items = query.map { name, value in
            "\(name)=\(value.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")"
        }
        return room.path + "/layout." + format + "?" + items.joined(separator: "&")
    }

    /// The picture that the library makes of a whole room.
    private func picture(
        of snapshot: Snapshot, _ spec: LayoutSpec, in bounds: ListRect
    ) throws -> Picture {
        let layout = try CollectionLayout(
            spec, in: LayoutEnvironment(viewport: bounds.size),
            sections: snapshot.sections.map { SectionInput($0) })
        let titles = TitleField(name: "title")
        return try Picture(of: try layout.elements(in: bounds, bounds: bounds), in: bounds) {
            switch $0 {
            case .cell(let path):
                titles.title(of: snapshot.sections[path.section].items[path.item])
            case .supplementary(let kind, let section):
                titles.title(of: kind, in: snapshot.sections[section].section) ?? kind.text
            case .itemSupplementary(let kind, _), .decoration(let kind, _): kind.text
            }
        }
    }

    @Test(arguments: [UInt64](1...40))
    func itIsWhatTheLibraryDraws(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let room = HTTPRoom(client: try HTTPWorld(seed: seed).connect(), name: "list")
        try room.fill(using: &random)
        let input = RandomLayoutInput(seed: seed, hostile: false)
        // The kind and the other options come in different places.
        let json = ViewLayout(input.spec).json
        let spec = json.dropFirst(#"{"layout":"#.count).dropLast()
        let bounds = input.bounds
        var query = [
            "kind": input.spec.kind.rawValue, "spec": String(spec), "x": "\(bounds.x)",
            "y": "\(bounds.y)", "width": "\(bounds.width)", "height": "\(bounds.height)",
        ]
        let drawn = try room.client.ask(target(room, "svg", query))
        #expect(drawn.status == 200, "\(drawn.text)")
        let expected = try picture(of: try room.sections(), input.spec, in: bounds)
        #expect(drawn.text == (try expected.svg()), "seed \(seed)")
        query["scale"] = "0.5"
        let image = try room.client.ask(target(room, "png", query))
        var missing: Set<Unicode.Scalar> = []
        #expect(image.status == 200)
        #expect(image.body == (try expected.png(scale: 0.5, missing: &missing)), "seed \(seed)")
    }

    /// Without a place it shows the beginning, which may be the right end.
    @Test func itBeginsAtTheBeginning() throws {
        let room = HTTPRoom(client: try HTTPWorld().connect(), name: "list")
        try room.post(
            (0..<100).map { #"{"insert":{"item":{"id":"i\#($0)"},"to":{"section":"main"}}}"# })
        var query = [
            "kind": "flow", "spec": #"{"scrollDirection":"horizontal","rtl":true,"fit":"plain"}"#,
            "width": "300", "height": "50",
        ]
        let drawn = try room.client.ask(target(room, "svg", query))
        #expect(drawn.text.contains(">i0<") && !drawn.text.contains(">i99<"))
        #expect(drawn.head.fields["Collsync-Warning"] == "flow does not use fit")
        query["x"] = "0"
        let end = try room.client.ask(target(room, "svg", query))
        #expect(!end.text.contains(">i0<") && end.text.contains(">i99<"))
    }

    @Test func whatStrangersWriteIsText() throws {
        let room = HTTPRoom(client: try HTTPWorld().connect(), name: "list")
        try room.post(
            HTTPRoom.titles.enumerated().map { index, title in
                #"{"insert":{"item":{"id":"<i\#(index)&>","fields":{"title":"\#(title)"},"#
                    + #""size":{"width":300,"height":90}},"to":{"section":"main"}}}"#
            })
        let drawn = try room.client.ask(
            target(room, "svg", ["kind": "flow", "height": "2000"]))
        #expect(drawn.status == 200)
        #expect(!drawn.text.contains("<script"))
        #expect(drawn.text.contains("&lt;/text&gt;&lt;script"))
        #expect(XMLNames(drawn.text) == ["svg", "rect", "text"])
        #expect(drawn.head.fields["Content-Type"] == "image/svg+xml")
        #expect(drawn.head.fields["X-Content-Type-Options"] == "nosniff")
        #expect(
            drawn.head.fields["Content-Security-Policy"] == "default-src 'none'; sandbox")
    }

    /// The names of a document's elements.
    private func XMLNames(_ text: String) -> Set<String> {
        Set(
            text.split(separator: "<").dropFirst()
                .map { $0.prefix { $0.isLetter } }.filter { !$0.isEmpty }.map(String.init))
    }

    @Test func anUnchangedPictureIsNotDrawnAgain() throws {
        let room = HTTPRoom(client: try HTTPWorld().connect(), name: "list")
        try room.post([#"{"insert":{"item":{"id":"milk"},"to":{"section":"main"}}}"#])
        let target = target(room, "png", ["kind": "flow"])
        let first = try room.client.ask(target)
        #expect(first.status == 200)
        let tag = try #require(first.head.fields["ETag"])
        #expect(tag == (try room.client.ask(room.path)).head.fields["ETag"])
        let again = try room.client.ask("GET", target, ["If-None-Match": tag])
        #expect(again.status == 304 && again.head.fields["ETag"] == tag)
        try room.post([#"{"delete":{"id":"milk"}}"#])
        #expect(try room.client.ask("GET", target, ["If-None-Match": tag]).status == 200)
        let head = try room.client.ask("HEAD", target)
        #expect(head.status == 200 && head.body.isEmpty)
    }

    @Test(arguments: [
        ["kind": "grid"], [:], ["kind": "flow", "spec": "{"],
        ["kind": "flow", "spec": #"{"kind":"line"}"#],
        ["kind": "flow", "width": "1e9"], ["kind": "flow", "height": "NaN"],
        ["kind": "flow", "width": "-1"], ["kind": "flow", "x": "inf"],
        ["kind": "flow", "scale": "100"], ["kind": "flow", "scale": "0"],
        ["kind": "flow", "width": "2001", "height": "2000", "scale": "1"],
        ["kind": "flow", "whole": "true"],
    ])
    func mistakesHaveReasons(query: [String: String]) throws {
        let room = HTTPRoom(client: try HTTPWorld().connect(), name: "list")
        try room.post([#"{"insert":{"item":{"id":"milk"},"to":{"section":"main"}}}"#])
        let answer = try room.client.ask(target(room, "png", query))
        #expect(answer.status == 400, "\(answer.text)")
        #expect(answer.text.hasPrefix(#"{"error":{"code":"badMessage""#))
    }

    @Test func whatIsTooMuchIsRefused() throws {
        let room = HTTPRoom(
            client: try HTTPWorld { $0.wire.viewElements = 50 }.connect(), name: "list")
        try room.post(
            (0..<100).map {
                #"{"insert":{"item":{"id":"i\#($0)"},"to":{"section":"main"}}}"#
            })
        let few = try room.client.ask(target(room, "svg", ["kind": "flow", "height": "100"]))
        #expect(few.status == 200)
        let many = try room.client.ask(target(room, "svg", ["kind": "flow", "height": "9000"]))
        #expect(many.status == 422)
        #expect(many.text.contains(#""code":"limitExceeded""#))
        let columns = try room.client.ask(
            target(room, "svg", ["kind": "waterfall", "spec": #"{"columnCount":1e6}"#]))
        #expect(columns.status == 422)
    }

    /// Elements that cover each other are drawn one by one, so all of them count.
    @Test func whatIsCoveredCounts() throws {
        let room = HTTPRoom(client: try HTTPWorld().connect(), name: "list")
        func status(items: Range<Int>) throws -> Int {
            try room.post(
                items.map { #"{"insert":{"item":{"id":"i\#($0)"},"to":{"section":"main"}}}"# })
            let answer = try room.client.ask(
                target(
                    room, "png",
                    [
                        "kind": "circle", "spec": #"{"itemSize":{"width":9000,"height":9000}}"#,
                        "width": "999", "height": "999", "scale": "2",
                    ]))
            if answer.status != 200 {
                #expect(answer.text.contains(#""code":"limitExceeded""#), "\(answer.text)")
            }
            return answer.status
        }
        // An item has 1,998 × 1,998 pixels, and all together have 40,000,000 at most.
        #expect(try status(items: 0..<10) == 200)
        #expect(try status(items: 10..<11) == 422)
    }

    @Test func aMissingRoomHasNone() throws {
        let client = try HTTPWorld().connect()
        let room = HTTPRoom(client: client, name: "list")
        #expect(try client.ask(target(room, "svg", ["kind": "flow"])).status == 404)
        #expect(try client.ask("/v1/rooms").text == #"{"rooms":[]}"# + "\n")
    }
}
