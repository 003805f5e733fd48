import LayoutTwin
import SyncEngine
import SyncJSON
import SyncLayout
import SyncWire

/// A view that a client has open: what it is to show, and what the client was told of it.
final class ViewPart {
    let number: ViewNumber
    private(set) var layout: ViewLayout
    private(set) var overscan: Double
    /// What is on the screen, by the checker's own hands.
    private var shown: [UInt64: ViewElement] = [:]
    private var contentSize: Size?
    private var revision: Revision?
    /// How often something was asked for or came.
    private var changeCount = 0
    private var lastJudgement: (revision: Revision, changeCount: Int, difference: String?)?

    init(_ number: ViewNumber, _ layout: ViewLayout, overscan: Double) {
        self.number = number
        self.layout = layout
        self.overscan = overscan
    }

    /// Whether anything has come.
    var isShown: Bool { revision != nil }

    func ask(for layout: ViewLayout? = nil, overscan: Double? = nil) {
        changeCount += 1
        if let layout { self.layout = layout }
        if let overscan { self.overscan = overscan }
    }

    /// Takes in what changed on the screen.
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

    /// How what is on the screen differs from a room, laid out from scratch, of which nothing is to come
    /// any more.
    func difference(from room: Snapshot, bounds: Rect) -> String? {
        if let last = lastJudgement, last.revision == room.revision,
            last.changeCount == changeCount
        {
            return last.difference
        }
        let difference = makeDifference(from: room, bounds)
        lastJudgement = (room.revision, changeCount, difference)
        return difference
    }

    private func makeDifference(from room: Snapshot, _ bounds: Rect) -> String? {
        do throws(LayoutError) {
            let whole = try WholeScreen(
                of: room, layout.spec, in: layout.environment, bounds: bounds, overscan: overscan)
            let held = shown.values.map {
                WholeScreen.Shown(element: $0.element, content: $0.content)
            }
            return whole.difference(from: held, contentSize, isWhole: true)
        } catch {
            return "\(error)"
        }
    }
}
