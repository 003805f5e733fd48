import SyncEngine
import SyncLayout
import Testing

/// Collections that are too large for a question: each ends soon, in an error or in what was found.
@Suite struct LayoutLimitTests {
    private let bounds = Rect(width: 320, height: 480)

    private func layout(
        _ kind: LayoutSpec.Kind, itemSize: Size? = nil, spacing: Double? = nil,
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

    /// Items without a size, all at one place, of which none is in a rectangle that begins there.
    @Test func searchesInVainEnd() throws {
        let flow = try layout(.flow, itemSize: Size(width: 0, height: 20), spacing: 0)
        flow.lookLimit = 10_000
        #expect(throws: LayoutError.self) { try flow.elements(in: bounds, bounds: bounds) }
        #expect(flow.moveTarget(at: Point(), previous: nil) == nil)
        let line = try layout(.line, itemSize: Size(width: 0, height: 0), spacing: 0)
        line.lookLimit = 10_000
        #expect(line.targetContentOffset(proposed: Point(), bounds: bounds) == Point())
        let mosaic = try layout(.mosaic)
        mosaic.lookLimit = 10_000
        #expect(throws: LayoutError.self) {
            try mosaic.elements(in: Rect(x: -50, width: 10, height: 1e300), bounds: bounds)
        }
    }
}
