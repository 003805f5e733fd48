import LayoutTwin
import SyncLayout
import SyncModel
import Testing

/// The comparison finds differences.
@Suite("Comparing layouts")
struct LayoutTwinComparisonTests {
    private let twin = LayoutTwin(
        LayoutSpec(kind: .flow), in: LayoutEnvironment(viewport: ListSize(width: 320, height: 480)),
        sections: [SectionInput(items: .count(7))], bounds: ListRect(width: 320, height: 480))

    private func difference(_ change: (inout [LayoutElement]) -> Void) -> String? {
        var elements = twin.elements
        change(&elements)
        let comparison = LayoutTwinComparison(largest: twin.largest)
        return comparison.difference(elements, expected: twin.elements)
    }

    @Test("a rounding error is no difference")
    func rounding() {
        #expect(difference { _ in } == nil)
        #expect(difference { $0[3].frame.x += 1e-11 } == nil)
    }

    @Test("everything else is a difference")
    func differences() {
        #expect(difference { $0[3].frame.x += 1e-6 }?.contains("element 3 is cell 0.3") == true)
        #expect(difference { $0[3].frame.height -= 1e-6 } != nil)
        #expect(difference { $0[3].frame.y = .nan } != nil)
        #expect(difference { $0[2].zIndex = 1 } != nil)
        #expect(difference { $0[2].scale = 1.1 } != nil)
        #expect(difference { $0[2].alpha = 0 } != nil)
        #expect(difference { $0[2].isHidden = true } != nil)
        #expect(difference { $0.swapAt(1, 2) } != nil)
        #expect(difference { $0.removeLast() }?.contains("missing") == true)
        #expect(difference { $0.append($0[0]) }?.contains("too many") == true)
    }
}
