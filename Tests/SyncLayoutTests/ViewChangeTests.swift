import SyncLayout
import SyncModel
import Testing

/// The screen of a view between one update and the next.
@Suite struct ViewChangeTests {
    private func shown(_ key: UInt64, y: Double, alpha: Double = 1) -> ViewElement {
        ViewElement(
            key: key, element: element(y: y, alpha: alpha), content: .item(Item(id: "milk")))
    }

    private func element(y: Double, alpha: Double = 1) -> LayoutElement {
        var element = LayoutElement(
            .cell(ItemPath(section: 0, item: 0)), frame: ListRect(y: y, width: 10, height: 20))
        element.alpha = alpha
        return element
    }

    /// A change of each kind, in a content whose bounds have moved down by 100.
    private var change: ViewChange {
        var change = ViewChange(
            revision: 2, bounds: ListRect(y: 150, width: 100, height: 100),
            shift: ListPoint(x: 0, y: 100))
        change.disappeared = [.init(from: shown(1, y: 60), final: element(y: 400))]
        change.changed = [.init(from: shown(2, y: 70), to: shown(2, y: 180, alpha: 0.5))]
        change.appeared = [.init(initial: element(y: 300, alpha: 0), to: shown(3, y: 200))]
        return change
    }

    @Test func `it begins as the screen was, moved with the bounds`() {
        #expect(
            change.elements(at: 0) == [
                shown(1, y: 160), shown(2, y: 170), shown(3, y: 300, alpha: 0),
            ])
    }

    @Test func `half of the way everything is in between`() {
        #expect(
            change.elements(at: 0.5) == [
                shown(1, y: 280), shown(2, y: 175, alpha: 0.75), shown(3, y: 250, alpha: 0.5),
            ])
    }

    @Test(arguments: [1, 1.5, Double.infinity])
    func `it ends at the new screen, and goes no further`(progress: Double) {
        #expect(
            change.elements(at: progress) == [
                shown(1, y: 400), shown(2, y: 180, alpha: 0.5), shown(3, y: 200),
            ])
    }

    @Test(arguments: [-1, -Double.infinity, Double.nan])
    func `before its beginning it is at its beginning`(progress: Double) {
        #expect(change.elements(at: progress) == change.elements(at: 0))
    }
}
