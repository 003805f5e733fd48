import LayoutTwin
import SyncJSON
import SyncLayout
import SyncModel
import SyncWire

/// A client's open view: its settings, and the updates that it received.
final class ViewPart {
    let number: ViewNumber
    private(set) var layout: ViewLayout
    private(set) var overscan: Double
    /// The elements on the screen, according to the updates, applied by the test's own code.
    private var shown: [UInt64: ViewElement] = [:]
    private var contentSize: ListSize?
    private var revision: Revision?
    /// The number of requests and updates so far.
    private var changeCount = 0
    private var lastJudgement: Judgement?

    /// The result of comparing the screen, and what was compared.
    private struct Judgement {
        var revision: Revision
        var changeCount: Int
        var others: [SeenDrag]
        var own: SeenDrag?
        var difference: String?
    }

    init(_ number: ViewNumber, _ layout: ViewLayout, overscan: Double) {
        self.number = number
        self.layout = layout
        self.overscan = overscan
    }

    /// Whether an update has arrived.
    var isShown: Bool { revision != nil }

    private var elements: [ViewElement] { shown.values.sorted { $0.key < $1.key } }

    /// The items on the screen.
    var items: [Identifier] {
        elements.compactMap { shown in
            guard case .cell = shown.element.identity, case .item(let item) = shown.content
            else { return nil }
            return item.id
        }
    }

    /// The frames of the elements, in the content's coordinates.
    var frames: [ListRect] { elements.map(\.element.frame) }

    func ask(for layout: ViewLayout? = nil, overscan: Double? = nil) {
        changeCount += 1
        if let layout { self.layout = layout }
        if let overscan { self.overscan = overscan }
    }

    /// Called when the room was replaced: its revisions begin again.
    func beginAnew() {
        if revision != nil { revision = 0 }
    }

    /// Applies a change on the screen.
    ///
    /// - Returns: what is wrong with it.
    func take(_ change: ViewChange, endingAs screen: ViewSnapshot) -> String? {
        changeCount += 1
        if let revision, change.revision < revision {
            return "it goes back from \(revision) to \(change.revision)"
        }
        revision = change.revision
        if let size = change.contentSize { contentSize = size }
        for entry in change.disappeared where shown.removeValue(forKey: entry.from.key) == nil {
            return "\(entry.from) disappears, which is not there"
        }
        for entry in change.changed
        where shown.updateValue(entry.to, forKey: entry.to.key) != entry.from {
            return "\(entry.from) changes, which is not there"
        }
        for entry in change.appeared
        where shown.updateValue(entry.to, forKey: entry.to.key) != nil {
            return "\(entry.to) appears, which is there"
        }
        let isSame = screen.elements.allSatisfy { shown[$0.key] == $0 }
        return isSame && screen.elements.count == shown.count
            ? nil : "the screen is not what the changes make"
    }

    /// The elements on the screen, and the layout that shows them.
    func screen(at bounds: ListRect) -> (look: Look, held: WholeScreen) {
        let look = Look(layout.spec, in: layout.environment, bounds: bounds, overscan: overscan)
        let held = elements.map { WholeScreen.Shown(element: $0.element, content: $0.content) }
        let size = contentSize ?? ListSize(width: 0, height: 0)
        return (look, WholeScreen(contentSize: size, shown: held))
    }

    /// The difference between the screen and a room that is laid out from scratch, once no more
    /// updates come.
    ///
    /// - Parameters:
    ///   - others: the visible drags, in any order.
    ///   - own: the drag in this view.
    func difference(
        from room: Snapshot, bounds: ListRect, others: [SeenDrag], own: SeenDrag?
    ) -> String? {
        if let last = lastJudgement, last.revision == room.revision,
            last.changeCount == changeCount, last.others == others, last.own == own
        {
            return last.difference
        }
        var difference: String?
        for order in others.orders {
            difference = makeDifference(from: room, bounds, order, own)
            if difference == nil { break }
        }
        lastJudgement = Judgement(
            revision: room.revision, changeCount: changeCount, others: others, own: own,
            difference: difference)
        return difference
    }

    /// The same for drags in the order in which they began. Returns `nil` if a target is after an
    /// item that does not exist.
    private func makeDifference(
        from room: Snapshot, _ bounds: ListRect, _ others: [SeenDrag], _ own: SeenDrag?
    ) -> String? {
        var preview = DragPreview(room)
        var held: Set<Identifier> = own.map { [$0.item] } ?? []
        let first = others.filter { held.insert($0.item).inserted }
        for drag in first + (own.map { [$0] } ?? []) {
            guard preview.hold(drag.item, over: drag.target, at: drag.point) else { return nil }
        }
        do throws(LayoutError) {
            let (look, held) = screen(at: bounds)
            let whole = try preview.screen(in: look)
            return whole.difference(from: held.shown, contentSize, isWhole: true)
        } catch {
            return "\(error)"
        }
    }
}

extension Array {
    /// All permutations of the elements; call it for few elements only.
    fileprivate var orders: [[Element]] {
        guard count > 1 else { return [self] }
        return indices.flatMap { index in
            var rest = self
            let first = rest.remove(at: index)
            return rest.orders.map { [first] + $0 }
        }
    }
}
