import LayoutTwin
import SeededRandom
import SyncLayout
import SyncModel
import Testing

/// To play one seed again: `COLLSYNC_SEED=17 swift test --filter SpiralLayoutTests`.
@Suite("A custom layout")
struct SpiralLayoutTests {
    private let environment = LayoutEnvironment(viewport: ListSize(width: 400, height: 300))
    private let bounds = ListRect(width: 400, height: 300)

    @Test("it answers rectangles like a linear scan, and after batches like a new one")
    func rectanglesAndBatches() throws {
        for seed in LayoutTests.seed.map({ $0..<$0 + 1 }) ?? 0..<100 {
            var numbers = RandomNumbers(seed: seed, hostile: false)
            var history = LayoutHistory(RandomLayoutInput(using: &numbers).sections)
            let layout = try CollectionLayout(
                SpiralLayout(), in: environment, sections: history.inputs)
            for number in 0..<8 {
                try layout.apply(try history.change(using: &numbers))
                let anew = try CollectionLayout(
                    SpiralLayout(), in: environment, sections: history.inputs)
                let all = try anew.elements(bounds: bounds)
                try #require(
                    try layout.elements(bounds: bounds) == all, "seed \(seed), batch \(number)")
                #expect(layout.contentSize(in: bounds) == anew.contentSize(in: bounds))
                for _ in 0..<10 {
                    let rect = ListRect(
                        x: numbers.usual(-50...400), y: numbers.usual(-50...2000),
                        width: numbers.usual(0...400), height: numbers.usual(0...300))
                    let expected = all.filter { $0.frame.intersects(rect) }
                    try #require(
                        try layout.elements(in: rect, bounds: bounds) == expected,
                        "seed \(seed), batch \(number), \(rect)")
                }
            }
        }
    }

    @Test("it stacks sections with their headers and decorations, and stays inside the content")
    func sections() throws {
        var options = LayoutOptions()
        options.decorations = [Decoration(kind: "back")]
        let sizes = [ListSize(width: 50, height: 20), ListSize(width: 20, height: 90), nil]
        let layout = try CollectionLayout(
            SpiralLayout(), in: environment,
            sections: [
                SectionInput(items: .count(40), options: options), SectionInput(items: .count(0)),
                SectionInput(items: .sizes(sizes), options: options),
            ])
        let elements = try layout.elements(bounds: bounds)
        var sectionEnd = 0.0
        for section in [0, 2] {
            let cells = elements.filter { element in
                guard case .cell(let path) = element.identity else { return false }
                return path.section == section
            }
            let back = try #require(
                elements.first { $0.identity == .decoration(kind: "back", section: section) })
            #expect(cells.count == (section == 0 ? 40 : 3))
            #expect(back.frame.y == sectionEnd && back.frame.width == 400)
            for cell in cells {
                #expect(cell.frame.x >= 0 && cell.frame.maxX <= 400, "\(cell)")
                #expect(cell.frame.y >= sectionEnd && cell.frame.maxY <= back.frame.maxY)
            }
            sectionEnd = back.frame.maxY
        }
        #expect(layout.contentSize(in: bounds) == ListSize(width: 400, height: sectionEnd))
    }

    @Test("items grow apart from the middle as on an Archimedean spiral")
    func spiral() throws {
        let layout = try CollectionLayout(
            SpiralLayout(step: 0.5), in: environment, sections: [SectionInput(items: .count(35))])
        let centers = try layout.elements(bounds: bounds).map(\.frame.center)
        for (item, center) in centers.enumerated() {
            let radius =
                ((center.x - 200) * (center.x - 200)
                + (center.y - 200) * (center.y - 200)).squareRoot()
            #expect(abs(radius - 175 * Double(item + 1) / 35) < 1e-9, "\(item)")
        }
    }

    @Test("invalid sizes and too many items are handled")
    func hostile() throws {
        let sizes = [ListSize(width: .nan, height: -3), ListSize(width: .infinity, height: 10)]
        let layout = try CollectionLayout(
            SpiralLayout(), in: environment, sections: [SectionInput(items: .sizes(sizes))])
        let frames = try layout.elements(bounds: bounds).map(\.frame)
        #expect(
            frames.map(\.size) == [ListSize(width: 0, height: 0), ListSize(width: 0, height: 10)])
        #expect(frames.allSatisfy { $0.x.isFinite && $0.y.isFinite })
        #expect(throws: LayoutError.itemCount(section: 0, limit: 1 << 26)) {
            try CollectionLayout(
                SpiralLayout(), in: environment,
                sections: [SectionInput(items: .count(1 << 40))])
        }
    }

    @Test("an item before its section's start is found beside another section's items")
    func beforeBeginning() throws {
        let layout = try CollectionLayout(
            RaisedLayout(), in: environment,
            sections: [SectionInput(items: .count(20)), SectionInput(items: .count(20))])
        let all = try layout.elements(bounds: bounds)
        for y in stride(from: -100.0, to: 2200, by: 7) {
            let rect = ListRect(x: 0, y: y, width: 400, height: 5)
            let expected = all.filter { $0.frame.intersects(rect) }
            #expect(try layout.elements(in: rect, bounds: bounds) == expected, "\(rect)")
        }
    }
}

/// Stacked items that begin before the start of their section.
private struct RaisedLayout: ListLayout {
    func plan(
        _ section: LayoutSection, in environment: LayoutEnvironment
    ) throws(LayoutError) -> SectionPlan {
        let places = (0..<section.itemCount).map { item in
            AxisRect(
                main: Double(item) * 50 - 120, cross: 0, mainLength: 40, crossLength: 40)
        }
        return SectionPlan(body: FramesBody(places))
    }
}
