import LayoutTwin
import SyncJSON
import SyncLayout
import SyncModel
import Testing

/// The golden layouts. Other clients are checked with them too, so they must not change.
@Suite("Layout vectors")
struct LayoutVectorTests {
    @Test("the twin gives every golden layout")
    func twin() throws {
        for vector in try LayoutVector.all() {
            let input = vector.input
            let twin = LayoutTwin(
                input.spec, in: input.environment, sections: input.sections, bounds: input.bounds)
            try expect(
                twin.contentSize, twin.elements, of: vector,
                target: input.proposedOffset.map { twin.targetContentOffset(proposed: $0) })
        }
    }

    @Test("the engine gives every golden layout")
    func engine() throws {
        let vectors = try LayoutVector.all()
        #expect(vectors.count == 73)
        for vector in vectors {
            let input = vector.input
            let layout = try CollectionLayout(
                input.spec, in: input.environment, sections: input.sections)
            try expect(
                layout.contentSize(in: input.bounds), try layout.elements(bounds: input.bounds),
                of: vector,
                target: input.proposedOffset.map {
                    layout.targetContentOffset(proposed: $0, bounds: input.bounds)
                })
        }
    }

    private func expect(
        _ contentSize: ListSize, _ elements: [LayoutElement], of vector: LayoutVector,
        target: ListPoint?
    ) throws {
        let expected = try vector.elements(besides: elements)
        let comparison = LayoutTwinComparison(
            largest: max(vector.contentSize.width, vector.contentSize.height))
        #expect(
            comparison.isSame(contentSize, vector.contentSize), "\(vector.name): \(contentSize)")
        let difference = comparison.difference(elements, expected: expected)
        #expect(difference == nil, "\(vector.name)")
        guard let target, let expectedTarget = vector.targetOffset else { return }
        #expect(comparison.isSame(target, expectedTarget), "\(vector.name): \(target)")
    }
}
