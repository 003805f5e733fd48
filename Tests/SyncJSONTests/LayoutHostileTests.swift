import SeededRandom
import SyncJSON
import SyncLayout
import SyncModel
import Testing

/// Input of `layout` that no program should send.
@Suite struct LayoutHostileTests {
    private static let line =
        #"{"layout":{"kind":"waterfall","columnCount":3,"sectionInset":{"top":1.5},"#
        + #""supplementaries":[{"kind":"b\u00e4","scope":"item","edge":"top","size":{"width":1}}],"#
        + #""decorations":[{"kind":"card","inset":{"left":-8}}]},"bounds":{"y":7,"width":320},"#
        + #""pixelScale":2,"sections":[{"count":7},{"items":[{"width":80,"height":40},{},"#
        + #"{"id":"a","size":{"width":1,"height":2}}],"alignment":"center"}],"#
        + #""rect":{"x":1},"point":{"y":2},"previous":{"section":0,"item":2}}"#

    @Test func `a line that is cut off anywhere is an error`() throws {
        _ = try readLayout(Self.line)
        let bytes = Array(Self.line.utf8)
        for length in bytes.indices {
            let cut = Array(bytes[..<length])
            #expect(problem { () throws(JSONError) in try readLayout(cut) } != nil)
        }
    }

    @Test(arguments: 0..<8)
    func `a damaged line never traps`(seed: Int) {
        var random = RandomModel(seed: UInt64(seed))
        let original = Array(Self.line.utf8)
        for _ in 0..<500 {
            let bytes = random.damaged(original)
            _ = problem { () throws(JSONError) in try readLayout(bytes) }
        }
    }

    /// Gives each object of a good line in turn an unknown key.
    @Test func `unknown keys are named at every level`() throws {
        var tried = 0
        var place = Self.line.startIndex
        while let brace = Self.line[place...].firstIndex(of: "{") {
            place = Self.line.index(after: brace)
            let comma = Self.line[place...].first == "}" ? "" : ","
            let spoiled = Self.line[..<place] + "\"colour\":1" + comma + Self.line[place...]
            let error = try #require(problem(inLayout: "\(spoiled)"), "\(spoiled)")
            let isUnknown = error.message.hasPrefix("unknown key")
            #expect(error.path.hasSuffix("colour") && isUnknown, "\(error)")
            tried += 1
        }
        #expect(tried == 17)
    }

    @Test(arguments: ["[", "{\"layout\":", "{\"a\":[", "{\"sections\":[{\"items\":["])
    func `deep nesting is an error`(opening: String) {
        #expect(problem(inLayout: String(repeating: opening, count: 100_000)) != nil)
    }

    @Test(arguments: ["NaN", "Infinity", "-Infinity", "1e999", "-1e999", "0x10", "1.", "+1"])
    func `what is no number is an error`(token: String) {
        let line = #"{"layout":{"kind":"flow"},"bounds":{"width":\#(token)}}"#
        #expect(problem(inLayout: line) != nil)
    }

    @Test(arguments: [1e308, -1e308, .leastNonzeroMagnitude, -0.0, -1, 9_007_199_254_740_992])
    func `any valid number is accepted`(number: Double) throws {
        let line = #"{"layout":{"kind":"flow"},"bounds":{"width":\#(number)}}"#
        #expect(try readLayout(line).bounds == ListRect(width: number))
    }

    @Test func `many items are read`() throws {
        let items = Array(repeating: #"{"width":1,"height":2}"#, count: 100_000)
        let line =
            #"{"layout":{"kind":"flow"},"bounds":{},"sections":[{"items":["#
            + items.joined(separator: ",") + "]}]}"
        #expect(try readLayout(line).sections.first?.count == 100_000)
    }

    /// Lists whose elements use much more memory than their text have a limit.
    @Test func `short texts do not grow without bound`() throws {
        func line(_ layout: String, _ sections: String) -> String {
            #"{"layout":{"kind":"flow"\#(layout)},"bounds":{},"sections":[\#(sections)]}"#
        }
        func list(_ element: String, _ count: Int) -> String {
            Array(repeating: element, count: count).joined(separator: ",")
        }
        let sections = LayoutInput.maximumSections
        #expect(try readLayout(line("", list("{}", sections))).sections.count == sections)
        #expect(problem(inLayout: line("", list("{}", sections + 1)))?.path == "sections")
        let card = #"{"kind":"card"}"#
        _ = try readLayout(line(#","decorations":[\#(list(card, 64))]"#, ""))
        let error = problem(inLayout: line(#","decorations":[\#(list(card, 65))]"#, ""))
        #expect(error?.path == "layout.decorations")
        let badge = #"{"kind":"badge","scope":"item","edge":"top","size":{}}"#
        let inSection = line("", #"{"supplementaries":[\#(list(badge, 65))]}"#)
        #expect(problem(inLayout: inSection)?.path == "sections[0].supplementaries")
    }
}
