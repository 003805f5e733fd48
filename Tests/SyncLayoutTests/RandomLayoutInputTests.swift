import LayoutTwin
import SyncLayout
import Testing

/// Checks how many random inputs the twin can decide.
@Suite("Random layout inputs")
struct RandomLayoutInputTests {
    private func twin(_ input: RandomLayoutInput) -> LayoutTwin {
        LayoutTwin(
            input.spec, in: input.environment, sections: input.sections, bounds: input.bounds)
    }

    @Test("a seed makes the same input again")
    func seeds() {
        let first = RandomLayoutInput(seed: 7, hostile: false)
        let again = RandomLayoutInput(seed: 7, hostile: false)
        #expect(first.spec == again.spec)
        #expect(first.environment == again.environment)
        #expect(first.sections == again.sections)
        #expect(first.bounds == again.bounds)
    }

    @Test("few layouts depend on rounding, and many are exact", arguments: [false, true])
    func worth(hostile: Bool) {
        let count = 1_000
        var knifeEdges = 0
        var exact = 0
        var finite = 0
        for seed in 0..<UInt64(count) {
            let twin = twin(RandomLayoutInput(seed: seed, hostile: hostile))
            if twin.isKnifeEdge { knifeEdges += 1 }
            if twin.isExact { exact += 1 }
            if twin.elements.allSatisfy(\.frame.isFinite) { finite += 1 }
        }
        print("hostile \(hostile): \(knifeEdges) knife edges, \(exact) exact, \(finite) finite")
        #expect(knifeEdges * (hostile ? 5 : 10) < count)
        #expect(exact * 4 > count)
        #expect(hostile ? finite * 10 > count * 8 : finite == count)
    }
}

extension ListRect {
    fileprivate var isFinite: Bool { [x, y, width, height].allSatisfy(\.isFinite) }
}
