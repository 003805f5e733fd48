import LayoutTwin
import SeededRandom
import SyncLayout
import SyncModel
import Testing

/// To play one seed again: `COLLSYNC_SEED=17 swift test --filter InvalidationTests`.
@Suite("What a moving viewport needs")
struct InvalidationTests {
    @Test(
        "scrolling needs no layout, and changes at most headers, footers and zoom",
        arguments: LayoutSpec.Kind.allCases)
    func scrolling(kind: LayoutSpec.Kind) throws {
        var found: Set<CollectionLayout.Invalidation> = []
        for seed in LayoutTests.seed.map({ $0..<$0 + 1 }) ?? 0..<400 {
            var numbers = RandomNumbers(seed: seed, hostile: false)
            let input = RandomLayoutInput(using: &numbers, kind: kind)
            let layout = try CollectionLayout(
                input.spec, in: input.environment, sections: input.sections)
            var moved = input.bounds
            moved.x = numbers.usual(-100...900)
            moved.y = numbers.usual(-100...1500)
            let invalidation = layout.invalidation(from: input.bounds, to: moved)
            found.insert(invalidation)
            let old = try layout.elements(bounds: input.bounds)
            let new = try layout.elements(bounds: moved)
            let isRight =
                switch invalidation {
                case .nothing: old == new
                case .attributes: zip(old, new).allSatisfy(isSameButForScrolling)
                case .layout: false
                }
            #expect(isRight, "\(kind.rawValue) seed \(seed): \(invalidation)")
            #expect(layout.invalidation(from: moved, to: moved) == .nothing)
        }
        guard LayoutTests.seed == nil else { return }
        switch kind {
        case .line: #expect(found == [.attributes])
        case .flow, .columnFlow, .waterfall: #expect(found == [.nothing, .attributes])
        case .circle, .mosaic: #expect(found == [.nothing])
        }
    }

    /// Whether two elements differ at most in what the offset changes.
    private func isSameButForScrolling(_ old: LayoutElement, _ new: LayoutElement) -> Bool {
        var new = new
        switch old.identity {
        case .cell:
            new.scale = old.scale
            new.zIndex = old.zIndex
        case .supplementary(LayoutElement.header, _), .supplementary(LayoutElement.footer, _):
            guard old.frame.size == new.frame.size else { return false }
            new.frame = old.frame
        default: break
        }
        return old == new
    }

    @Test("another length across the scroll axis needs a layout, another one along it does not")
    func resizing() throws {
        for kind in LayoutSpec.Kind.allCases {
            let layout = try CollectionLayout(
                LayoutSpec(kind: kind),
                in: LayoutEnvironment(viewport: ListSize(width: 300, height: 400)),
                sections: [SectionInput(items: .count(9))])
            let bounds = ListRect(width: 300, height: 400)
            let wider = layout.invalidation(
                from: bounds, to: ListRect(width: 301, height: 400))
            let higher = layout.invalidation(
                from: bounds, to: ListRect(width: 300, height: 401))
            switch kind {
            case .line: #expect((wider, higher) == (.attributes, .layout))
            case .circle: #expect((wider, higher) == (.layout, .layout))
            default: #expect((wider, higher) == (.layout, .nothing), "\(kind)")
            }
        }
    }

    @Test("NaN moves nothing")
    func hostile() throws {
        let layout = try CollectionLayout(
            LayoutSpec(kind: .flow),
            in: LayoutEnvironment(viewport: ListSize(width: 0, height: 400)),
            sections: [SectionInput(items: .count(9))])
        let bounds = ListRect(x: .nan, y: .infinity, width: .nan, height: 400)
        #expect(layout.invalidation(from: bounds, to: bounds) == .nothing)
        #expect(layout.invalidation(from: bounds, to: ListRect(height: 400)) == .nothing)
    }
}
