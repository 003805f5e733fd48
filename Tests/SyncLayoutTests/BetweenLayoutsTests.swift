import LayoutTwin
import SeededRandom
import SyncLayout
import SyncModel
import Testing

/// To play one seed again: `COLLSYNC_SEED=17 swift test --filter BetweenLayoutsTests`.
@Suite("From layout to layout")
struct BetweenLayoutsTests {
    @Test("it begins as one layout, ends as the other, and is between both in between")
    func ways() throws {
        for seed in LayoutTests.seed.map({ $0..<$0 + 1 }) ?? 0..<600 {
            var numbers = RandomNumbers(seed: seed, hostile: seed % 4 == 0)
            let first = RandomLayoutInput(using: &numbers)
            var second = RandomLayoutInput(using: &numbers)
            second.sections = first.sections
            let (from, to) = (try layout(first), try layout(second))
            if let difference = try difference(from, first.bounds, to, second.bounds) {
                Issue.record("seed \(seed): \(difference)")
                return
            }
        }
    }

    private func layout(_ input: RandomLayoutInput) throws(LayoutError) -> CollectionLayout {
        try CollectionLayout(input.spec, in: input.environment, sections: input.sections)
    }

    private func difference(
        _ from: CollectionLayout, _ fromBounds: ListRect, _ to: CollectionLayout,
        _ toBounds: ListRect
    ) throws(LayoutError) -> String? {
        let old = try byIdentity(from.elements(bounds: fromBounds))
        let new = try byIdentity(to.elements(bounds: toBounds))
        let seen =
            try from.elements(in: fromBounds, bounds: fromBounds)
            + to.elements(in: toBounds, bounds: toBounds)
        for identity in Set(seen.map(\.identity)) {
            let first = from.element(identity, bounds: fromBounds)
            let last = to.element(identity, bounds: toBounds)
            guard let start = first ?? last.map({ to.appearing($0, bounds: toBounds) }),
                let end = last ?? first.map({ from.disappeared($0, bounds: fromBounds) })
            else { return "\(identity) is in neither layout" }
            if start != old[identity] ?? absent(new[identity]) {
                return "\(identity) starts as \(start)"
            }
            if end != new[identity] ?? absent(old[identity]) { return "\(identity) ends as \(end)" }
            guard start.element(onTheWayTo: end, at: 0) == start,
                start.element(onTheWayTo: end, at: 1) == end
            else { return "\(identity) does not begin or end where it should" }
            for progress in [-1, 0.25, 0.5, 2, .nan, .infinity, -.infinity] {
                let part = progress > 0 ? min(progress, 1) : 0
                let between = start.element(onTheWayTo: end, at: progress)
                if !isBetween(start, end, part, between) {
                    return "\(identity) is not between at \(progress)"
                }
            }
        }
        return nil
    }

    private func byIdentity(
        _ elements: [LayoutElement]
    ) -> [LayoutElement.Identity: LayoutElement] {
        Dictionary(elements.map { ($0.identity, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// An element that only one layout has is no cell, and fades at its place.
    private func absent(_ element: LayoutElement?) -> LayoutElement? {
        guard var element else { return nil }
        if case .cell = element.identity { return nil }
        element.alpha = 0
        return element
    }

    private func isBetween(
        _ start: LayoutElement, _ end: LayoutElement, _ progress: Double, _ given: LayoutElement
    ) -> Bool {
        let values: [(LayoutElement) -> Double] = [
            \.frame.x, \.frame.y, \.frame.width, \.frame.height, \.alpha, \.scale,
        ]
        return values.allSatisfy { value in
            let expected = value(start) * (1 - progress) + value(end) * progress
            let largest = max(abs(value(start)), abs(value(end)), 1)
            // The difference of the largest numbers overflows.
            return largest > 1e200 || abs(value(given) - expected) <= 1e-12 * largest
        }
    }

    @Test("a circle's items appear from its middle and shrink into it")
    func circle() throws {
        let layout = try CollectionLayout(
            LayoutSpec(kind: .circle),
            in: LayoutEnvironment(viewport: ListSize(width: 320, height: 480)),
            sections: [SectionInput(items: .count(5))])
        let bounds = ListRect(width: 320, height: 480)
        let cell = LayoutElement.Identity.cell(ItemPath(section: 0, item: 2))
        let element = try #require(layout.element(cell, bounds: bounds))
        for gone in [
            layout.appearing(element, bounds: bounds), layout.disappeared(element, bounds: bounds),
        ] {
            #expect(gone.identity == cell)
            #expect(gone.frame == ListRect(x: 125, y: 205, width: 70, height: 70))
            #expect(gone.alpha == 0)
        }
        #expect(layout.appearing(element, bounds: bounds).scale == 1)
        #expect(layout.disappeared(element, bounds: bounds).scale == 0.1)
    }

    @Test("a header that the other layout lacks fades at its place")
    func header() throws {
        var spec = LayoutSpec(kind: .flow)
        spec.options.headerReferenceSize = ListSize(width: 0, height: 30)
        let environment = LayoutEnvironment(viewport: ListSize(width: 320, height: 480))
        let sections = [SectionInput(items: .count(5))]
        let bounds = ListRect(width: 320, height: 480)
        let flow = try CollectionLayout(spec, in: environment, sections: sections)
        let mosaic = try CollectionLayout(
            LayoutSpec(kind: .mosaic), in: environment, sections: sections)
        let header = LayoutElement.Identity.supplementary(kind: "header", section: 0)
        let element = try #require(flow.element(header, bounds: bounds))
        #expect(mosaic.element(header, bounds: bounds) == nil)
        for between in [
            element.element(onTheWayTo: flow.disappeared(element, bounds: bounds), at: 0.25),
            flow.appearing(element, bounds: bounds).element(onTheWayTo: element, at: 0.75),
        ] {
            #expect(between.frame == ListRect(width: 320, height: 30))
            #expect(between.alpha == 0.75)
        }
    }
}
