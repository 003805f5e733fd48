import SyncLayout
import SyncModel
import Testing

/// Mistakes of widely copied sample code.
@Suite("Mistakes that others made")
struct KnownMistakesTests {
    private let environment = LayoutEnvironment(viewport: ListSize(width: 320, height: 480))
    private let bounds = ListRect(width: 320, height: 480)

    private func frames(_ layout: CollectionLayout) throws -> [ListRect] {
        try layout.elements(bounds: bounds).map(\.frame)
    }

    /// Expects that a window which moves over the whole content finds every element.
    private func expectAllFound(_ layout: CollectionLayout, step: Double) throws {
        let all = try layout.elements(bounds: bounds)
        for height in [0, 1, 90, 480] {
            for y in stride(from: -100, to: layout.contentSize(in: bounds).height + 100, by: step) {
                for (x, width) in [(0.0, 320.0), (200, 30)] {
                    let rect = ListRect(x: x, y: y, width: width, height: Double(height))
                    let expected = all.filter { $0.frame.intersects(rect) }
                    try #require(
                        try layout.elements(in: rect, bounds: bounds) == expected, "\(rect)")
                }
            }
        }
    }

    // MARK: Waterfall

    @Test(
        "columns are filled in turn, from either side",
        arguments: [
            (LayoutOptions.RenderDirection.leftToRight, [0, 1, 2, 0, 1, 2, 0, 1]),
            (.rightToLeft, [2, 1, 0, 2, 1, 0, 2, 1]),
        ])
    func columnsInTurn(direction: LayoutOptions.RenderDirection, columns: [Int]) throws {
        var spec = LayoutSpec(kind: .waterfall)
        spec.options.columnCount = 3
        spec.options.itemRenderDirection = direction
        let layout = try CollectionLayout(
            spec, in: environment, sections: [SectionInput(items: .count(8))])
        #expect(try frames(layout).map(\.x) == columns.map { Double($0) * 110 })
        spec.options.columnCount = 1
        let single = try CollectionLayout(
            spec, in: environment, sections: [SectionInput(items: .count(8))])
        #expect(try frames(single).allSatisfy { $0.x == 0 })
    }

    @Test("an empty section or column removes no spacing")
    func emptySection() throws {
        var spec = LayoutSpec(kind: .waterfall)
        spec.options.sectionInset = Insets(top: 5, bottom: 7)
        spec.options.headerHeight = 20
        let layout = try CollectionLayout(
            spec, in: environment,
            sections: [.init(items: .count(0)), .init(items: .count(1)), .init(items: .count(0))])
        // The item is 155 points wide, and therefore also 155 high.
        #expect(layout.contentSize(in: bounds) == ListSize(width: 320, height: 32 + 187 + 32))
        #expect(try frames(layout).map(\.y) == [0, 32, 57, 219])
        var plain = LayoutSpec(kind: .waterfall)
        plain.options.minimumInteritemSpacing = 40
        let empty = try CollectionLayout(
            plain, in: environment, sections: [.init(items: .count(0))])
        #expect(empty.contentSize(in: bounds) == ListSize(width: 320, height: 0))
    }

    @Test("a high cell is found beside all its neighbours", arguments: [1, 2, 4])
    func highCellInWaterfall(columns: Int) throws {
        var spec = LayoutSpec(kind: .waterfall)
        spec.options.columnCount = columns
        spec.options.sizing = .absolute
        var sizes = (0..<60).map { ListSize(width: 50, height: Double(20 + $0 % 7)) as ListSize? }
        sizes[1] = ListSize(width: 50, height: 900)
        sizes[30] = ListSize(width: 50, height: 400)
        for direction in LayoutOptions.RenderDirection.allCases {
            spec.options.itemRenderDirection = direction
            try expectAllFound(
                CollectionLayout(
                    spec, in: environment,
                    sections: [.init(items: .sizes(sizes)), .init(items: .count(9))]),
                step: 17)
        }
    }

    @Test("half a million items are as exact as one")
    func drift() throws {
        var spec = LayoutSpec(kind: .waterfall)
        spec.options.columnCount = 1
        spec.options.sizing = .absolute
        let size = ListSize(width: 320, height: 110.5)
        let layout = try CollectionLayout(
            spec, in: environment,
            sections: [SectionInput(items: .sizes(Array(repeating: size, count: 500_000)))])
        let last = layout.element(.cell(ItemPath(section: 0, item: 499_999)), bounds: bounds)
        #expect(last?.frame == ListRect(y: 499_999 * 120.5, width: 320, height: 110.5))
        #expect(layout.contentSize(in: bounds).height == 500_000 * 120.5 - 10)
    }

    // MARK: Flow

    @Test("a high cell of a line is found beside cells that end earlier")
    func highCellInFlow() throws {
        var sizes = (0..<60).map {
            ListSize(width: Double(30 + $0 % 5 * 9), height: 20) as ListSize?
        }
        sizes[0] = ListSize(width: 40, height: 900)
        sizes[33] = ListSize(width: 40, height: 300)
        sizes[59] = ListSize(width: 40, height: 600)
        for alignment in LayoutOptions.LineAlignment.allCases {
            var spec = LayoutSpec(kind: .flow)
            spec.options.lineAlignment = alignment
            try expectAllFound(
                CollectionLayout(
                    spec, in: environment,
                    sections: [.init(items: .sizes(sizes)), .init(items: .count(20))]),
                step: 17)
        }
    }

    @Test(
        "items without a length along the line are all in one line",
        arguments: LayoutSpec.ScrollDirection.allCases)
    func zeroAdvance(direction: LayoutSpec.ScrollDirection) throws {
        var spec = LayoutSpec(kind: .flow)
        spec.scrollDirection = direction
        spec.options.itemSize = ListSize(width: 0, height: 0)
        spec.options.minimumInteritemSpacing = 0
        for count in [0, 1, 7, 1 << 40] {
            let layout = try CollectionLayout(
                spec, in: environment, sections: [SectionInput(items: .count(count))])
            #expect(
                layout.contentSize(in: bounds)
                    == (direction == .vertical
                        ? ListSize(width: 320, height: 0) : ListSize(width: 0, height: 480)))
            let item = LayoutElement.Identity.cell(ItemPath(section: 0, item: count - 1))
            let element = layout.element(item, bounds: bounds)
            #expect(element?.frame == (count == 0 ? nil : ListRect()))
        }
        let mixed = try CollectionLayout(
            spec, in: environment,
            sections: [
                SectionInput(
                    items: .sizes((0..<20_000).map { ListSize(width: 0, height: Double($0 % 2)) }))
            ])
        #expect(try mixed.elements(bounds: bounds).count == 20_000)
    }

    // MARK: Mosaic

    @Test("the content of a mosaic ends with its last segment", arguments: 0..<40)
    func mosaicContentSize(count: Int) throws {
        let layout = try CollectionLayout(
            LayoutSpec(kind: .mosaic), in: environment,
            sections: [SectionInput(items: .count(count))])
        let bottom = try frames(layout).map(\.maxY).max() ?? 0
        #expect(layout.contentSize(in: bounds) == ListSize(width: 320, height: max(bottom, 480)))
    }

    @Test("all cells of a segment are found", arguments: [1, 2, 3, 8, 41, 42])
    func mosaicRectangles(count: Int) throws {
        try expectAllFound(
            CollectionLayout(
                LayoutSpec(kind: .mosaic), in: environment,
                sections: [.init(items: .count(count)), .init(items: .count(5))]),
            step: 13)
    }

    // MARK: All

    @Test("without sections there are no elements, also after a change")
    func noSections() throws {
        for kind in LayoutSpec.Kind.allCases {
            var spec = LayoutSpec(kind: kind)
            spec.minimumContentHeight = 1000
            spec.rtl = true
            let layout = try CollectionLayout(
                spec, in: environment, sections: [SectionInput(items: .count(20))])
            #expect(try !frames(layout).isEmpty)
            var stage = Stage()
            stage.deleteSections = [0]
            try layout.apply(Batch(from: 0, to: 1, stages: [stage], sections: 0))
            let empty = try CollectionLayout(spec, in: environment, sections: [])
            for layout in [layout, empty] {
                #expect(layout.contentSize(in: bounds) == ListSize(width: 0, height: 0), "\(kind)")
                #expect(try frames(layout).isEmpty)
                #expect(try layout.elements(in: bounds, bounds: bounds).isEmpty)
                let proposed = ListPoint(x: 5, y: 6)
                // A line moves the offset back to its content, which is at 0.
                let target = kind == .line ? ListPoint(x: 0, y: 6) : proposed
                #expect(layout.targetContentOffset(proposed: proposed, bounds: bounds) == target)
                #expect(layout.moveTarget(at: proposed, previous: nil) == nil)
            }
        }
    }
}
