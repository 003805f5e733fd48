import ModelSupport
import SyncJSON
import SyncLayout
import Testing

/// Drops into a section that has no element at all: only insets, or free room.
@Suite("Drops into sections without elements")
struct EmptySectionDropTests {
    /// A layout of three items `a`, `b` and `c`, an empty section `e` and a section of one item,
    /// and the points of `e` along the scroll axis.
    struct Case: Sendable, CustomTestStringConvertible {
        let layout: String
        /// Width and height of the viewport.
        let size: (Int, Int)
        let points: [(x: Int, y: Int)]
        /// Points that are in no section without items.
        var others: [(x: Int, y: Int)] = []

        var testDescription: String { layout }
    }

    private static let down = #""sectionInset":{"top":30,"bottom":30}"#

    static let cases = [
        Case(
            layout: #"{"kind":"flow","itemSize":{"width":300,"height":50},"minimumLineSpacing":0,"#
                + "\(down)}", size: (300, 800), points: [(150, 240), (0, 210), (299, 269)],
            others: [(150, 271), (301, 240), (-1, 240)]),
        Case(
            layout: #"{"kind":"flow","scrollDirection":"horizontal","rtl":true,"#
                + #""itemSize":{"width":50,"height":300},"minimumLineSpacing":0,"#
                + #""sectionInset":{"left":30,"right":30}}"#, size: (800, 300),
            points: [(140, 150), (110, 0), (169, 299)], others: [(109, 150), (171, 10)]),
        Case(
            layout: #"{"kind":"flow","rtl":true,"itemSize":{"width":300,"height":50},"#
                + #""minimumLineSpacing":0,\#(down)}"#, size: (300, 800), points: [(10, 240)]),
        Case(
            layout: #"{"kind":"waterfall","columnCount":1,"minimumInteritemSpacing":0,"#
                + #""itemSize":{"width":300,"height":50},\#(down)}"#, size: (300, 800),
            points: [(150, 240)], others: [(150, 209)]),
        Case(
            layout: #"{"kind":"columnFlow","cellHeight":50,"minimumLineSpacing":0,\#(down)}"#,
            size: (300, 800), points: [(150, 240)]),
        Case(
            layout: #"{"kind":"mosaic",\#(down)}"#, size: (300, 800), points: [(150, 490)],
            others: [(150, 455)]),
    ]

    @Test("the section is found by its part of the content", arguments: cases)
    func found(_ given: Case) throws {
        for point in given.points {
            #expect(try target(at: point, given) == DropTarget(section: "e"), "\(point)")
        }
        for point in given.others {
            #expect(try target(at: point, given) == nil, "\(point)")
        }
    }

    /// The target of `a` once it is dragged to a point.
    private func target(at point: (x: Int, y: Int), _ given: Case) throws -> DropTarget? {
        let world = try LineWorld(seed: 3)
        let client = try world.join()
        for section in ["e", "z"] {
            client.send(
                #"{"ops":[{"insertSection":{"section":{"id":"\#(section)"},"to":{}}}]}"#)
        }
        for (item, section) in [("a", "main"), ("b", "main"), ("c", "main"), ("z1", "z")] {
            client.send(
                #"{"ops":[{"insert":{"item":{"id":"\#(item)"},"to":{"section":"\#(section)"}}}]}"#)
        }
        let (width, height) = given.size
        client.send(
            #"{"view":{"id":"v","layout":\#(given.layout),"#
                + #""bounds":{"width":\#(width),"height":\#(height)}}}"#)
        #expect(world.run { client.views["v"]?.elements.count == 4 })
        client.send(#"{"drag":{"begin":{"id":"a","view":"v"}}}"#)
        client.send(#"{"drag":{"update":{"x":\#(point.x),"y":\#(point.y)}}}"#)
        world.run(forMilliseconds: 1000)
        #expect(client.errors.isEmpty)
        return client.lines.lazy.reversed().compactMap { line -> DragTargetLine? in
            if case .dragTarget(let target) = line { target } else { nil }
        }.first?.target
    }
}
