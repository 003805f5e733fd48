import LayoutTwin
import SeededRandom
import SyncLayout
import SyncModel
import Testing

/// To play one seed again: `COLLSYNC_SEED=17 swift test --filter ScrollAnchorTests`.
@Suite("A scroll anchor")
struct ScrollAnchorTests {
    @Test(
        "the first visible item that still exists keeps its place on the screen",
        arguments: LayoutSpec.Kind.allCases)
    func keeps(kind: LayoutSpec.Kind) throws {
        var count = Count()
        try LayoutTests.forEachSeed(kind, 200) { try difference(kind, $0, &count) }
        guard LayoutTests.seed == nil, kind != .circle else { return }
        #expect(count.kept > 100, "most are not at the ends of the content")
    }

    private struct Count {
        var kept = 0
    }

    private func difference(
        _ kind: LayoutSpec.Kind, _ seed: UInt64, _ count: inout Count
    ) throws -> String? {
        var numbers = RandomNumbers(seed: seed, hostile: false)
        let input = RandomLayoutInput(using: &numbers, kind: kind)
        var history = LayoutHistory(input.sections)
        let layout = try CollectionLayout(
            input.spec, in: input.environment, sections: history.inputs)
        for _ in 0..<6 {
            let bounds = bounds(of: input.environment.viewport, in: layout, using: &numbers)
            let seen = try cells(layout.elements(in: bounds, bounds: bounds))
            let numbersBefore = history.sections.map(\.items)
            let batch = try history.change(using: &numbers)
            try layout.apply(batch)
            var paths: [Int: ItemPath] = [:]
            for (section, content) in history.sections.enumerated() {
                for (item, number) in content.items.enumerated() {
                    paths[number] = ItemPath(section: section, item: item)
                }
            }
            let left = seen.lazy.compactMap { path, frame in
                paths[numbersBefore[path.section][path.item]].map { ($0, frame) }
            }
            guard let (path, frame) = left.first else { continue }
            let twin = LayoutTwin(
                input.spec, in: input.environment, sections: history.inputs, bounds: bounds)
            if twin.isKnifeEdge { continue }
            let kept = ScrollAnchor(
                path: path, distance: ListPoint(x: frame.x - bounds.x, y: frame.y - bounds.y))
            if let difference = difference(layout, twin, kept, bounds, &count) {
                return "\(difference)\n\(bounds) \(input.spec)\n\(batch.stages)"
            }
        }
        return nil
    }

    private func difference(
        _ layout: CollectionLayout, _ twin: LayoutTwin, _ anchor: ScrollAnchor, _ bounds: ListRect,
        _ count: inout Count
    ) -> String? {
        let direction = layout.layout.scrollDirection
        let insets = direction.insets(layout.environment.contentInset)
        let offset = layout.contentOffset(keeping: anchor, bounds: bounds)
        guard direction.cross(offset) == direction.cross(ListPoint(x: bounds.x, y: bounds.y)) else {
            return "it moves across"
        }
        guard let frame = cells(twin.elements).first(where: { $0.path == anchor.path })?.frame
        else { return "the item is not there" }
        let shown = ListPoint(x: frame.x - offset.x, y: frame.y - offset.y)
        let drift = direction.main(shown) - direction.main(anchor.distance)
        let first = -insets.mainLead
        let last = max(
            first,
            direction.main(twin.contentSize) + insets.mainTrail - direction.main(bounds.size))
        let main = direction.main(offset)
        guard main >= first - 1e-6, main <= last + 1e-6 else { return "it shows no content" }
        if abs(drift) < 1e-6 {
            count.kept += 1
            return nil
        }
        // It may be off only at an end of the content, where it is as near as possible.
        if drift > 0, abs(main - last) < 1e-6 { return nil }
        if drift < 0, abs(main - first) < 1e-6 { return nil }
        return "\(anchor) is off by \(drift) at \(offset)"
    }

    /// A viewport somewhere in the content.
    private func bounds(
        of viewport: ListSize, in layout: CollectionLayout, using numbers: inout RandomNumbers
    ) -> ListRect {
        let direction = layout.layout.scrollDirection
        let content = layout.contentSize(
            in: ListRect(width: viewport.width, height: viewport.height))
        let room = max(0, direction.main(content) - direction.main(viewport))
        let offset = direction.point(main: numbers.usual(0...max(1, Int(room))), cross: 0)
        return ListRect(x: offset.x, y: offset.y, width: viewport.width, height: viewport.height)
    }

    private func cells(_ elements: [LayoutElement]) -> [(path: ItemPath, frame: ListRect)] {
        elements.compactMap { element in
            if case .cell(let path) = element.identity { (path, element.frame) } else { nil }
        }
    }

    @Test("a deleted item keeps nothing in place")
    func gone() throws {
        let layout = try CollectionLayout(
            LayoutSpec(kind: .flow),
            in: LayoutEnvironment(viewport: ListSize(width: 100, height: 100)),
            sections: [SectionInput(items: .count(30))])
        let bounds = ListRect(x: 3, y: 70, width: 100, height: 100)
        let anchor = ScrollAnchor(path: ItemPath(section: 0, item: 30), distance: ListPoint())
        #expect(layout.contentOffset(keeping: anchor, bounds: bounds) == ListPoint(x: 3, y: 70))
    }
}
