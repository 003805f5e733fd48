import LayoutTwin
import SeededRandom
import SyncLayout
import SyncModel
import Testing

/// Collections that are too large for a question: each answer comes soon, or is an error.
@Suite struct LayoutLimitTests {
    private let bounds = ListRect(width: 320, height: 480)

    private func layout(
        _ kind: LayoutSpec.Kind, itemSize: ListSize? = nil, spacing: Double? = nil,
        counts: [Int] = [100_000_000_000]
    ) throws(LayoutError) -> CollectionLayout {
        var spec = LayoutSpec(kind: kind)
        spec.options.itemSize = itemSize
        spec.options.minimumInteritemSpacing = spacing
        spec.options.minimumLineSpacing = spacing
        return try CollectionLayout(
            spec, in: LayoutEnvironment(viewport: bounds.size),
            sections: counts.map { SectionInput(items: .count($0)) })
    }

    @Test(arguments: [LayoutSpec.Kind.flow, .columnFlow, .line, .mosaic])
    func partsOfManyItemsAreGiven(kind: LayoutSpec.Kind) throws {
        let layout = try layout(kind)
        #expect(throws: LayoutError.tooManyElements(limit: CollectionLayout.elementLimit)) {
            try layout.elements(bounds: bounds)
        }
        #expect(try !layout.elements(in: bounds, bounds: bounds).isEmpty)
    }

    @Test(arguments: [LayoutSpec.Kind.circle, .waterfall])
    func itemsThatMustBeGoneThroughAreLimitedInAll(kind: LayoutSpec.Kind) throws {
        let limit = SizeList.itemLimit
        #expect(throws: LayoutError.self) { try layout(kind) }
        #expect(throws: LayoutError.totalItemCount(limit: limit)) {
            try layout(kind, counts: [3, limit, 4])
        }
        _ = try layout(kind, counts: [3, 10_000, 4])
    }

    @Test(arguments: LayoutSpec.Kind.allCases)
    func asManyAsTheLimitAreGiven(kind: LayoutSpec.Kind) throws {
        try LayoutTests.forEachSeed(kind, 200) { seed in
            var numbers = RandomNumbers(seed: seed, hostile: false)
            let input = RandomLayoutInput(using: &numbers, kind: kind)
            let history = LayoutHistory(input.sections)
            let layout = try CollectionLayout(
                input.spec, in: input.environment, sections: history.inputs)
            let bounds = input.bounds
            let all = try layout.elements(in: bounds, bounds: bounds)
            for limit in [all.count - 1, all.count, all.count + 1] {
                let found = Result { () throws(LayoutError) in
                    try layout.elements(in: bounds, bounds: bounds, limit: limit)
                }
                if found != answer(all, limit) { return "with a limit of \(limit): \(found)" }
            }
            guard let held = history.heldItem(using: &numbers) else { return nil }
            let shown = try layout.elements(in: bounds, bounds: bounds, holding: held)
            for limit in [shown.count - 1, shown.count, shown.count + 1] {
                let found = Result { () throws(LayoutError) in
                    try layout.elements(
                        in: bounds, bounds: bounds, holding: held, limit: limit)
                }
                if found != answer(shown, limit) { return "\(held), \(limit): \(found)" }
            }
            return nil
        }
    }

    private func answer(
        _ all: [LayoutElement], _ limit: Int
    ) -> Result<[LayoutElement], LayoutError> {
        all.count <= max(limit, 0)
            ? .success(all) : .failure(.tooManyElements(limit: max(limit, 0)))
    }

    /// Very many items at one place, inside a rectangle or beside one that begins there.
    @Test func looksAreBoundedByTheLimit() throws {
        let crowd = CountingLayout()
        let layout = try CollectionLayout(
            crowd, in: LayoutEnvironment(viewport: bounds.size),
            sections: [SectionInput(items: .count(100_000))])
        let around = ListRect(x: -1, y: -1, width: 320, height: 480)
        let held = HeldItem(
            path: ItemPath(section: 0, item: 5), target: ItemPath(section: 0, item: 7),
            center: ListPoint(x: 5, y: 5))
        for (limit, most) in [(Int.min, 10_000), (0, 10_000), (100, 10_000), (2000, 32_000)] {
            for rect in [bounds, around] {
                let error = LayoutError.tooManyElements(limit: max(limit, 0))
                let before = crowd.counts.looks
                #expect(throws: error) {
                    try layout.elements(in: rect, bounds: bounds, limit: limit)
                }
                let looks = crowd.counts.looks - before
                #expect(looks <= (rect == around ? max(limit, 0) + 1 : most))
                #expect(throws: error) {
                    try layout.elements(
                        in: rect, bounds: bounds, holding: held, limit: limit)
                }
                #expect(crowd.counts.looks - before <= 2 * most + 20)
            }
        }
        #expect(try layout.elements(in: bounds, bounds: bounds).isEmpty)
    }

    @Test func sectionsAreLookedAtToo() throws {
        let layout = try CollectionLayout(
            CountingLayout(), in: LayoutEnvironment(viewport: bounds.size),
            sections: Array(repeating: SectionInput(items: .count(0)), count: 10_001))
        #expect(throws: LayoutError.tooManyElements(limit: 100)) {
            try layout.elements(in: bounds, bounds: bounds, limit: 100)
        }
        #expect(try layout.elements(in: bounds, bounds: bounds, limit: 1000).isEmpty)
    }

    /// Plans nothing for a screen that is narrower than 100 points.
    private struct WideLayout: ListLayout {
        func plan(
            _ section: LayoutSection, in environment: LayoutEnvironment
        ) throws(LayoutError) -> SectionPlan {
            guard environment.viewport.width >= 100 else { throw .tooLong }
            return SectionPlan(body: FramesBody([]))
        }
    }

    @Test func aScreenThatCanNotBePlannedChangesNothing() throws {
        let wide = LayoutEnvironment(viewport: bounds.size)
        let layout = try CollectionLayout(
            WideLayout(), in: wide, sections: [SectionInput(items: .count(0))])
        let size = layout.contentSize(in: bounds)
        #expect(size.width == 320)
        let narrow = LayoutEnvironment(viewport: ListSize(width: 50, height: 480))
        for _ in 0..<2 {
            #expect(throws: LayoutError.tooLong) { try layout.change(to: narrow) }
            #expect(layout.contentSize(in: bounds) == size)
        }
    }

    /// Items without a size, all at one place, none of which is in a rectangle that begins there.
    @Test func searchesInVainEnd() throws {
        let flow = try layout(.flow, itemSize: ListSize(width: 0, height: 20), spacing: 0)
        flow.lookLimit = 10_000
        #expect(throws: LayoutError.self) { try flow.elements(in: bounds, bounds: bounds) }
        #expect(flow.moveTarget(at: ListPoint(), previous: nil) == nil)
        let line = try layout(.line, itemSize: ListSize(width: 0, height: 0), spacing: 0)
        line.lookLimit = 10_000
        #expect(line.targetContentOffset(proposed: ListPoint(), bounds: bounds) == ListPoint())
        let mosaic = try layout(.mosaic)
        mosaic.lookLimit = 10_000
        #expect(throws: LayoutError.self) {
            try mosaic.elements(in: ListRect(x: -50, width: 10, height: 1e300), bounds: bounds)
        }
    }

    /// Between two cells that are far from each other, the search for the nearer one would look at
    /// all sections at each distance.
    @Test func aSearchForTheNearestCellEnds() throws {
        var spec = LayoutSpec(kind: .line)
        spec.options.decorations = [Decoration(kind: "ground", inset: Insets(left: -1))]
        var far = LayoutOptions()
        far.sectionInset = Insets(left: 1e200)
        let empty = SectionInput(items: .count(0))
        let layout = try CollectionLayout(
            spec, in: LayoutEnvironment(viewport: bounds.size),
            sections: [
                SectionInput(items: .count(1)), SectionInput(items: .count(1), options: far),
            ] + Array(repeating: empty, count: 20_000))
        layout.lookLimit = 100_000
        _ = layout.targetContentOffset(proposed: ListPoint(x: 5e199, y: 0), bounds: bounds)
        #expect(layout.work.looks <= 2 * layout.lookLimit)
    }
}
