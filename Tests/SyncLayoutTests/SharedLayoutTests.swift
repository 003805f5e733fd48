import LayoutTwin
import SeededRandom
import SyncLayout
import SyncModel
import Testing

/// Viewers with windows of different lengths along the scroll axis share one layout. Each gets the
/// answers of a layout of its own.
///
/// To play one seed again: `COLLSYNC_SEED=17 swift test --filter SharedLayoutTests`.
@Suite("One layout for many viewers")
struct SharedLayoutTests {
    @Test(
        "each viewer gets the answers of a layout of its own",
        arguments: LayoutSpec.Kind.allCases)
    func answers(kind: LayoutSpec.Kind) throws {
        var compared = 0
        try LayoutTests.forEachSeed(kind, 300) { try difference(kind, $0, &compared) }
        guard LayoutTests.seed == nil else { return }
        #expect(compared > 1000, "rounding seldom decides")
    }

    /// A viewer, with the layout that it would have alone.
    private struct Viewer {
        let environment: LayoutEnvironment
        let layout: CollectionLayout
        var bounds: ListRect

        mutating func scroll(using numbers: inout RandomNumbers) {
            bounds.x = numbers.number(-100...900)
            bounds.y = numbers.number(-100...1500)
        }
    }

    private func difference(
        _ kind: LayoutSpec.Kind, _ seed: UInt64, _ compared: inout Int
    ) throws -> String? {
        // Histories need sizes that content can have.
        let isHostile = seed % 4 == 0
        var numbers = RandomNumbers(seed: seed, hostile: isHostile)
        let input = RandomLayoutInput(using: &numbers, kind: kind)
        var history = LayoutHistory(input.sections)
        let key = LayoutKey(input.spec, in: input.environment)
        let shared = try CollectionLayout(
            key.spec, in: key.environment, sections: history.inputs)
        var viewers: [Viewer] = []
        for _ in 0..<3 {
            let viewer = try viewer(of: input, history.inputs, using: &numbers)
            guard LayoutKey(input.spec, in: viewer.environment).environment == key.environment
            else {
                return "\(viewer.environment) has another key"
            }
            viewers.append(viewer)
        }
        for _ in 0..<3 {
            for index in viewers.indices {
                viewers[index].scroll(using: &numbers)
                let viewer = viewers[index]
                let twin = LayoutTwin(
                    input.spec, in: viewer.environment, sections: history.inputs,
                    bounds: viewer.bounds)
                guard !twin.isKnifeEdge, twin.largest < 1e200 else { continue }
                compared += 1
                var questions = LayoutQuestions(
                    layout: shared, twin: twin, bounds: viewer.bounds)
                let difference =
                    try questions.difference(using: &numbers)
                    ?? difference(shared, viewer, twin, history, using: &numbers)
                if let difference { return "\(difference)\n\(viewer.bounds) \(input.spec)" }
            }
            if isHostile { break }
            let batch = try history.change(using: &numbers)
            try shared.apply(batch)
            for viewer in viewers { try viewer.layout.apply(batch) }
        }
        return nil
    }

    /// A viewer with a window of another length, if it can share the layout.
    private func viewer(
        of input: RandomLayoutInput, _ sections: [SectionInput],
        using numbers: inout RandomNumbers
    ) throws(LayoutError) -> Viewer {
        var environment = input.environment
        if input.spec.kind != .circle {
            let direction = input.spec.makeLayout().scrollDirection
            environment.viewport = direction.size(
                main: numbers.chance(10) ? 0 : numbers.number(10...2000),
                cross: direction.cross(input.environment.viewport))
        }
        let layout = try CollectionLayout(input.spec, in: environment, sections: sections)
        let viewport = environment.viewport
        return Viewer(
            environment: environment, layout: layout,
            bounds: ListRect(width: viewport.width, height: viewport.height))
    }

    /// Compares the answers that the twin does not have.
    private func difference(
        _ shared: CollectionLayout, _ viewer: Viewer, _ twin: LayoutTwin,
        _ history: LayoutHistory, using numbers: inout RandomNumbers
    ) throws -> String? {
        let own = viewer.layout
        let bounds = viewer.bounds
        let comparison = LayoutTwinComparison(largest: twin.largest)
        guard comparison.isSame(shared.contentSize(in: bounds), own.contentSize(in: bounds)) else {
            return "the content differs"
        }
        if let cell = twin.elements.first(where: { $0.frame.width > 0 }) {
            let absent = [
                shared.appearing(cell, bounds: bounds), shared.disappeared(cell, bounds: bounds),
            ]
            if absent != [
                own.appearing(cell, bounds: bounds), own.disappeared(cell, bounds: bounds),
            ] {
                return "\(cell.identity) is absent in another way"
            }
        }
        // At an edge, rounding decides.
        guard twin.isExact else { return nil }
        let paths = try own.elements(in: bounds, bounds: bounds).lazy.compactMap { element in
            if case .cell(let path) = element.identity { path } else { nil }
        }
        if let path = paths.first {
            let distance = ListPoint(x: numbers.usual(-100...100), y: numbers.usual(-500...500))
            let anchor = ScrollAnchor(path: path, distance: distance)
            let offset = shared.contentOffset(keeping: anchor, bounds: bounds)
            let expected = own.contentOffset(keeping: anchor, bounds: bounds)
            guard comparison.isSame(offset, expected) else {
                return "the offset is \(offset), not \(expected)"
            }
        }
        guard let held = history.heldItem(using: &numbers) else { return nil }
        return comparison.difference(
            try shared.elements(in: bounds, bounds: bounds, holding: held),
            expected: try own.elements(in: bounds, bounds: bounds, holding: held)
        ).map { "while \(held) is held: \($0)" }
    }

    @Test(
        "a key ignores the length along the scroll axis, except for a circle",
        arguments: LayoutSpec.Kind.allCases)
    func key(kind: LayoutSpec.Kind) {
        for direction in LayoutSpec.ScrollDirection.allCases {
            var spec = LayoutSpec(kind: kind)
            spec.scrollDirection = direction
            func key(_ width: Double, _ height: Double) -> LayoutKey {
                LayoutKey(
                    spec, in: LayoutEnvironment(viewport: ListSize(width: width, height: height)))
            }
            let isHorizontal = spec.makeLayout().scrollDirection == .horizontal
            let isWhole = kind == .circle
            #expect((key(320, 480) == key(320, 667)) == (!isWhole && !isHorizontal))
            #expect((key(320, 480) == key(375, 480)) == (!isWhole && isHorizontal))
            #expect(key(320, .nan) == key(320, -1))
        }
        let environment = LayoutEnvironment(viewport: ListSize(width: 320, height: 480))
        var padded = environment
        padded.contentInset.top = 1
        var spec = LayoutSpec(kind: kind)
        let key = LayoutKey(spec, in: environment)
        #expect(key != LayoutKey(spec, in: padded))
        spec.rtl = true
        #expect(key != LayoutKey(spec, in: environment))
    }

    @Test("another length along the scroll axis needs no new plan")
    func changedLength() throws {
        for direction in LayoutSpec.ScrollDirection.allCases {
            for stacks in [true, false] {
                let layout = CountingLayout(stacksSections: stacks, scrollDirection: direction)
                func environment(_ main: Double, _ cross: Double) -> LayoutEnvironment {
                    LayoutEnvironment(viewport: direction.size(main: main, cross: cross))
                }
                let sections = Array(repeating: SectionInput(items: .count(5)), count: 3)
                let collection = try CollectionLayout(
                    layout, in: environment(480, 320), sections: sections)
                #expect(layout.counts.plans == 3)
                try collection.change(to: environment(480, 320))
                #expect(layout.counts.plans == 3)
                try collection.change(to: environment(667, 320))
                #expect(layout.counts.plans == (stacks ? 3 : 6))
                try collection.change(to: environment(667, 375))
                #expect(layout.counts.plans == (stacks ? 6 : 9))
            }
        }
    }
}
