import SyncLayout
import SyncModel
import Synchronization

/// A layout with all items of a section at one place. It counts its calls.
struct CountingLayout: ListLayout {
    /// How many times a section was planned, and a cell was visited.
    final class Counts: Sendable {
        private let counts = Mutex((plans: 0, looks: 0))

        var plans: Int { counts.withLock(\.plans) }
        var looks: Int { counts.withLock(\.looks) }

        fileprivate func plan() { counts.withLock { $0.plans += 1 } }
        fileprivate func look() { counts.withLock { $0.looks += 1 } }
    }

    let counts = Counts()
    var place = AxisRect(main: 0, cross: 0, mainLength: 0, crossLength: 0)
    var stacksSections = true
    var scrollDirection = LayoutSpec.ScrollDirection.vertical
    var adjustsCells: Bool { true }

    func plan(
        _ section: LayoutSection, in environment: LayoutEnvironment
    ) throws(LayoutError) -> SectionPlan {
        counts.plan()
        let places = Array(repeating: place, count: section.itemCount)
        return SectionPlan(body: FramesBody(places))
    }

    func adjust(_ cell: inout LayoutElement, in bounds: ListRect) { counts.look() }
}
