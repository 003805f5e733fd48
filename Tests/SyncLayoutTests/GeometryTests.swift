import SyncLayout
import Testing

@Suite("Geometry")
struct GeometryTests {
    @Test("rectangles that only touch do not intersect; an empty one inside does")
    func intersection() {
        let rect = ListRect(x: 0, y: 0, width: 10, height: 10)
        #expect(!rect.intersects(ListRect(x: 10, y: 0, width: 5, height: 5)))
        #expect(!rect.intersects(ListRect(x: 0, y: 10, width: 5, height: 5)))
        #expect(rect.intersects(ListRect(x: 9, y: 9, width: 5, height: 5)))
        #expect(rect.intersects(ListRect(x: 5, y: 5, width: 0, height: 0)))
        #expect(!rect.intersects(ListRect(x: 10, y: 10, width: 0, height: 0)))
    }
}
