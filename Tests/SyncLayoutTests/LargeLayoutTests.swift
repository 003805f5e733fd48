import SyncLayout
import SyncModel
import Testing

/// Too much is an error; very much is answered at once.
@Suite("Layouts of very many items")
struct LargeLayoutTests {
    private let environment = LayoutEnvironment(viewport: ListSize(width: 320, height: 480))
    private let bounds = ListRect(width: 320, height: 480)
    private let many = 1_000_000_000

    private func layout(
        _ spec: LayoutSpec, _ counts: Int...
    ) throws(LayoutError) -> CollectionLayout {
        try CollectionLayout(
            spec, in: environment, sections: counts.map { SectionInput(items: .count($0)) })
    }

    @Test("too many items, or fewer than none", arguments: LayoutSpec.Kind.allCases)
    func itemCount(kind: LayoutSpec.Kind) {
        for count in [1 << 40 + 1, .max, -1, .min] {
            #expect(throws: LayoutError.itemCount(section: 1, limit: 1 << 40), "\(count)") {
                try layout(LayoutSpec(kind: kind), 3, count)
            }
        }
    }

    @Test("too many for a waterfall, in items and in columns")
    func waterfall() throws {
        var spec = LayoutSpec(kind: .waterfall)
        #expect(throws: LayoutError.itemCount(section: 0, limit: 1 << 26)) {
            try layout(spec, 1 << 26 + 1)
        }
        spec.options.columnCount = 1025
        #expect(throws: LayoutError.columnCount(section: 0, limit: 1024)) { try layout(spec, 3) }
        spec.options.columnCount = .max
        #expect(throws: LayoutError.columnCount(section: 0, limit: 1024)) { try layout(spec, 3) }
        spec.options.columnCount = 1024
        #expect(try layout(spec, 2000).elements(bounds: bounds).count == 2000)
        var options = LayoutOptions()
        options.columnCount = 1025
        #expect(throws: LayoutError.columnCount(section: 1, limit: 1024)) {
            try CollectionLayout(
                spec, in: environment,
                sections: [.init(items: .count(1)), .init(items: .count(1), options: options)])
        }
    }

    @Test("more elements than one answer may have")
    func elements() throws {
        let flow = try layout(LayoutSpec(kind: .flow), many)
        #expect(throws: LayoutError.tooManyElements(limit: 10_000_000)) {
            try flow.elements(bounds: bounds)
        }
    }

    @Test("the end of a flow of a billion items is found at once")
    func endOfFlow() throws {
        let flow = try layout(LayoutSpec(kind: .flow), many, 3)
        #expect(flow.contentSize(in: bounds) == ListSize(width: 320, height: 11_999_999_990 + 50))
        let last = flow.element(.cell(ItemPath(section: 0, item: many - 1)), bounds: bounds)
        #expect(last?.frame == ListRect(x: 270, y: 11_999_999_940, width: 50, height: 50))
        let end = ListRect(y: 12_000_000_040 - 480, width: 320, height: 480)
        let elements = try flow.elements(in: end, bounds: end)
        #expect(elements.count == 8 * 5 + 3)
        #expect(elements.last?.identity == .cell(ItemPath(section: 1, item: 2)))
        let point = ListPoint(x: 275, y: 11_999_999_950)
        #expect(flow.moveTarget(at: point, previous: nil) == ItemPath(section: 0, item: many - 1))
    }

    @Test("empty rectangles are answered at once", arguments: LayoutSpec.Kind.allCases)
    func hostileRectangles(kind: LayoutSpec.Kind) throws {
        for rtl in [false, true] {
            var spec = LayoutSpec(kind: kind)
            spec.rtl = rtl
            // A waterfall has to visit every item before the requested ones.
            let count = kind == .waterfall ? 1000 : kind == .circle ? 1 << 26 : many
            let collection = try layout(spec, count)
            let numbers = [
                -1e15, 1e15, -1e300, 1e300, -.greatestFiniteMagnitude, .greatestFiniteMagnitude,
            ]
            for number in numbers {
                for size in [0, 480, 1e9, .infinity, .nan] {
                    let rect = ListRect(x: number, y: number, width: size, height: size)
                    #expect(try collection.elements(in: rect, bounds: bounds).isEmpty, "\(rect)")
                    let point = ListPoint(x: number, y: number)
                    #expect(collection.moveTarget(at: point, previous: nil) == nil)
                }
            }
            for number in [Double.nan, .infinity, -.infinity] {
                let rect = ListRect(x: number, y: number, width: 1, height: number)
                #expect(try collection.elements(in: rect, bounds: bounds).isEmpty, "\(rect)")
            }
        }
    }

    @Test("scrolling far beyond a line of a billion items ends at its ends")
    func beyondLine() throws {
        for rtl in [false, true] {
            var spec = LayoutSpec(kind: .line)
            spec.rtl = rtl
            let line = try layout(spec, many)
            let end = ListPoint(x: 250 * Double(many) - 50 - 320, y: 0)
            for far in [1e12, 1e15, 1e300, .greatestFiniteMagnitude] {
                let behind = line.targetContentOffset(proposed: ListPoint(x: far), bounds: bounds)
                #expect(behind == end, "\(far)")
                let before = line.targetContentOffset(proposed: ListPoint(x: -far), bounds: bounds)
                #expect(before == ListPoint(), "\(far)")
            }
        }
    }

    @Test("the largest possible viewport has a nearest cell too")
    func largestViewport() throws {
        let largest = Double.greatestFiniteMagnitude
        let line = try CollectionLayout(
            LayoutSpec(kind: .line),
            in: LayoutEnvironment(viewport: ListSize(width: largest, height: 480)),
            sections: [SectionInput(items: .count(3))])
        for proposed in [-largest, -1e308, 0, 1e308, largest] {
            let target = line.targetContentOffset(
                proposed: ListPoint(x: proposed), bounds: ListRect(width: largest, height: 480))
            #expect(target == ListPoint(), "\(proposed)")
        }
    }

    @Test("an item of a large circle is found at its place")
    func largeCircle() throws {
        var spec = LayoutSpec(kind: .circle)
        spec.options.itemSize = ListSize(width: 0, height: 0)
        let count = 10_000_000
        let circle = try layout(spec, 3, count)
        for part in 0..<16 {
            let item = count / 16 * part + 3
            let cell = LayoutElement.Identity.cell(ItemPath(section: 1, item: item))
            let frame = try #require(circle.element(cell, bounds: bounds)?.frame)
            let rect = ListRect(x: frame.x - 1e-3, y: frame.y - 1e-3, width: 2e-3, height: 2e-3)
            let found = try circle.elements(in: rect, bounds: bounds)
            #expect(found.contains { $0.identity == cell }, "\(item)")
        }
        let larger = try layout(spec, 1 << 26)
        let above = ListRect(x: 0, y: 0, width: 320, height: 100)
        #expect(try larger.elements(in: above, bounds: bounds).isEmpty)
    }
}
