import LayoutTwin
import SeededRandom
import SyncLayout
import SyncModel
import Testing

/// To play one seed again: `COLLSYNC_SEED=17 swift test --filter LayoutTransitionTests`.
@Suite("From layout to layout")
struct LayoutTransitionTests {
    @Test("it begins as one layout, ends as the other, and is between both in between")
    func ways() throws {
        for seed in LayoutTests.seed.map({ $0..<$0 + 1 }) ?? 0..<600 {
            var numbers = RandomNumbers(seed: seed, hostile: seed % 4 == 0)
            let first = RandomLayoutInput(using: &numbers)
            var second = RandomLayoutInput(using: &numbers)
            second.sections = first.sections
            let transition = LayoutTransition(
                from: try layout(first), first.bounds, to: try layout(second), second.bounds)
            if let difference = try difference(transition) {
                Issue.record("seed \(seed): \(difference)")
                return
            }
        }
    }

    private func layout(_ input: RandomLayoutInput) throws(LayoutError) -> CollectionLayout {
        try CollectionLayout(input.spec, in: input.environment, sections: input.sections)
    }

    private func difference(_ transition: LayoutTransition) throws(LayoutError) -> String? {
        let old = try byIdentity(transition.from.elements(bounds: transition.fromBounds))
        let new = try byIdentity(transition.to.elements(bounds: transition.toBounds))
        let seen =
            try transition.from.elements(
                in: transition.fromBounds, bounds: transition.fromBounds)
            + transition.to.elements(in: transition.toBounds, bounds: transition.toBounds)
        let ways = try transition.ways()
        guard Set(seen.map(\.identity)) == Set(ways.map(\.from.identity)) else {
            return "the ways are not those of what is seen"
        }
        guard ways.count == Set(seen.map(\.identity)).count else { return "there are ways twice" }
        for way in ways {
            let identity = way.from.identity
            let start = way.element(at: 0)
            let end = way.element(at: 1)
            if start != old[identity] ?? absent(new[identity]) {
                return "\(identity) starts as \(start)"
            }
            if end != new[identity] ?? absent(old[identity]) { return "\(identity) ends as \(end)" }
            for progress in [-1, 0.25, 0.5, 2, .nan, .infinity, -.infinity] {
                let part = progress > 0 ? min(progress, 1) : 0
                if !isBetween(start, end, part, way.element(at: progress)) {
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
        let away = LayoutTransition(from: flow, bounds, to: mosaic, bounds)
        let back = LayoutTransition(from: mosaic, bounds, to: flow, bounds)
        for element in [
            away.way(of: header)?.element(at: 0.25), back.way(of: header)?.element(at: 0.75),
        ] {
            #expect(element?.frame == ListRect(width: 320, height: 30))
            #expect(element?.alpha == 0.75)
        }
        #expect(away.way(of: .supplementary(kind: "footer", section: 0)) == nil)
        #expect(away.way(of: .cell(ItemPath(section: 0, item: 5))) == nil)
    }
}
