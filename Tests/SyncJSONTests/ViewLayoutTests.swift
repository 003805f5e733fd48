import Foundation
import ModelSupport
import SeededRandom
import SyncJSON
import SyncLayout
import SyncModel
import Testing

/// A view's layout as text, and back.
@Suite struct ViewLayoutTests {
    private func problem(_ json: String) -> JSONError? {
        SyncJSONTests.problem { () throws(JSONError) in try ViewLayout(json: json) }
    }

    @Test(arguments: 1...UInt64(1000))
    func `any layout comes back from its text`(seed: UInt64) throws {
        var random = RandomModel(seed: seed)
        let layout = random.viewLayout()
        #expect(try ViewLayout(json: layout.json) == layout, "seed \(seed): \(layout.json)")
    }

    /// NaN and infinite numbers have no JSON, so others are written that can be read.
    @Test(arguments: 1...UInt64(1000))
    func `odd numbers are written as what they count as`(seed: UInt64) throws {
        var random = RandomModel(seed: seed)
        let json = random.viewLayout(hostile: true).json
        if let problem = problem(json) {
            #expect("\(problem)".contains("is not exact"), "seed \(seed): \(problem)")
            return
        }
        #expect(try ViewLayout(json: json).json == json, "seed \(seed): \(json)")
    }

    @Test func `two spellings of a kind are two`() throws {
        let layouts = Spellings.layouts
        #expect(Set(layouts.map(\.spec)).count == layouts.count)
        for (kind, layout) in zip(Spellings.all, layouts) {
            let read = try ViewLayout(json: layout.json)
            #expect(layouts.filter { $0 == read }.count == 1 && read == layout)
            let kinds =
                (read.spec.options.decorations ?? []).map(\.kind)
                + (read.spec.options.supplementaries ?? []).map(\.kind)
            #expect(kinds.count == 2)
            #expect(kinds.allSatisfy { $0.text.utf8.elementsEqual(kind.utf8) })
        }
    }

    @Test func `every golden layout comes back from its text`() throws {
        let file = URL(filePath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Protocol/vectors/layouts.jsonl")
        var count = 0
        for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
            let vector = try #require(
                try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            let text = try JSONSerialization.data(
                withJSONObject: try #require(vector["input"]))
            let input = try readLayout([UInt8](text))
            let layout = ViewLayout(input.spec, in: input.environment)
            let again = try ViewLayout(json: layout.json)
            #expect(again.spec == input.spec, "\(line)")
            #expect(again == layout, "\(line)")
            count += 1
        }
        #expect(count > 30)
    }

    @Test func `defaults are left out`() throws {
        #expect(ViewLayout(LayoutSpec(kind: .mosaic)).json == #"{"layout":{"kind":"mosaic"}}"#)
        var spec = LayoutSpec(kind: .flow)
        spec.rtl = true
        spec.options.itemSize = ListSize(width: 44, height: 0)
        spec.options.sectionInset = Insets()
        spec.options.decorations = []
        spec.options.supplementaries = [
            CustomSupplementary(
                kind: "badge", place: .atItem(.topTrailing), size: ListSize(width: 9, height: 9),
                offset: ListPoint(x: -1)),
            CustomSupplementary(
                kind: "rule", place: .beforeItems, size: ListSize(width: 0, height: 1), zIndex: 2),
        ]
        let environment = LayoutEnvironment(
            viewport: ListSize(width: 320, height: 480), safeArea: Insets(top: 20.5), pixelScale: 2)
        #expect(
            ViewLayout(spec, in: environment).json
                == #"{"layout":{"kind":"flow","rtl":true,"itemSize":{"width":44,"height":0},"#
                + #""sectionInset":{},"supplementaries":[{"kind":"badge","scope":"item","#
                + #""edge":"topTrailing","size":{"width":9,"height":9},"offset":{"x":-1,"y":0}},"#
                + #"{"kind":"rule","scope":"section","edge":"before","#
                + #""size":{"width":0,"height":1},"zIndex":2}],"decorations":[]},"#
                + #""safeArea":{"top":20.5},"pixelScale":2}"#)
    }

    @Test func `a view's size is no part of it`() {
        let spec = LayoutSpec(kind: .flow)
        let environment = LayoutEnvironment(viewport: ListSize(width: 320, height: 480))
        #expect(ViewLayout(spec, in: environment) == ViewLayout(spec))
    }

    @Test func `integers that are not exact are refused where they stand`() throws {
        var spec = LayoutSpec(kind: .waterfall)
        spec.options.columnCount = .min
        #expect(problem(ViewLayout(spec).json)?.path == "layout.columnCount")
        spec.options.columnCount = nil
        spec.options.decorations = [Decoration(kind: "card", zIndex: 1 << 53 + 1)]
        #expect(problem(ViewLayout(spec).json)?.path == "layout.decorations[0].zIndex")
        spec.options.decorations = [Decoration(kind: "card", zIndex: 1 << 53)]
        let read = try ViewLayout(json: ViewLayout(spec).json).spec.options
        #expect(read.decorations?.first?.zIndex == 1 << 53)
    }

    /// Keys that only lines of `layout` have, and an unknown one.
    @Test(arguments: [
        "bounds", "sections", "rect", "point", "previous", "proposedOffset", "id", "colour",
    ])
    func `what is not the layout's is unknown`(key: String) {
        let error = problem(#"{"layout":{"kind":"flow"},"\#(key)":{}}"#)
        #expect(error?.path == key)
        #expect(
            error?.message == "unknown key; it can be layout, contentInset, safeArea, layoutMargins"
                + " or pixelScale")
    }

    @Test(arguments: [
        ("{}", "layout"), (#"{"layout":{}}"#, "layout.kind"),
        (#"{"layout":{"kind":"flow","fit":1}}"#, "layout.fit"), (#"{"safeArea":{}}"#, "safeArea"),
        (#"{"layout":{"kind":"flow"},"pixelScale":null}"#, "pixelScale"),
        (#"{"layout":{"kind":"flow"},"contentInset":{"tp":1}}"#, "contentInset.tp"),
        ("", ""), ("[]", ""), (#"{"layout":"#, ""), (#"{"layout":{"kind":"flow"}}x"#, ""),
    ])
    func `what can't be read names its place`(json: String, path: String) throws {
        #expect(try #require(problem(json)).path == path)
    }
}
