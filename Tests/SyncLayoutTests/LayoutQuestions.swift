import LayoutTwin
import SeededRandom
import SyncLayout
import SyncModel

/// Asks the engine and the twin the same questions.
struct LayoutQuestions {
    let layout: CollectionLayout
    let twin: LayoutTwin
    let bounds: ListRect
    private let comparison: LayoutTwinComparison

    init(layout: CollectionLayout, twin: LayoutTwin, bounds: ListRect) {
        self.layout = layout
        self.twin = twin
        self.bounds = bounds
        comparison = LayoutTwinComparison(largest: twin.largest)
    }

    /// The first different answer, for people; `nil` if there is none.
    mutating func difference(using numbers: inout RandomNumbers) throws(LayoutError) -> String? {
        let elements = try layout.elements(bounds: bounds)
        if let difference = comparison.difference(elements, expected: twin.elements) {
            return difference
        }
        let size = layout.contentSize(in: bounds)
        if !comparison.isSame(size, twin.contentSize) {
            return "the content is \(size), not \(twin.contentSize)"
        }
        for number in 0..<6 {
            let rect = number == 0 ? bounds : rect(using: &numbers)
            if let difference = try difference(in: rect) { return "in \(rect): \(difference)" }
        }
        for _ in 0..<4 {
            let proposed = ListPoint(x: numbers.number(-300...1200), y: numbers.number(-300...1200))
            if let difference = targetDifference(proposed) { return difference }
            let point = point(using: &numbers)
            let previous = numbers.chance(50) ? ItemPath(section: 0, item: 7) : nil
            let target = layout.moveTarget(at: point, previous: previous)
            let expected = twin.moveTarget(at: point, previous: previous)
            if target != expected, twin.isExact || !isAtEdge(point) {
                return "at \(point) is \(target as Any), not \(expected as Any)"
            }
        }
        return nil
    }

    // MARK: Rectangles

    private func difference(in rect: ListRect) throws(LayoutError) -> String? {
        let given = try layout.elements(in: rect, bounds: bounds)
        let expected = twin.elements(in: rect)
        guard !twin.isExact else { return comparison.difference(given, expected: expected) }
        return comparison.difference(
            given.filter { !touches($0.frame, rect) },
            expected: expected.filter { !touches($0.frame, rect) })
    }

    /// Whether rounding decides that the two share more than an edge.
    private func touches(_ frame: ListRect, _ given: ListRect) -> Bool {
        let rect = ListRect(
            x: given.x.distance, y: given.y.distance, width: given.width.length,
            height: given.height.length)
        return comparison.isSame(frame.x, rect.maxX) || comparison.isSame(frame.maxX, rect.x)
            || comparison.isSame(frame.y, rect.maxY) || comparison.isSame(frame.maxY, rect.y)
    }

    /// A rectangle anywhere, one of the viewport's size, or one that only touches an element.
    private func rect(using numbers: inout RandomNumbers) -> ListRect {
        let frame = numbers.pick(twin.elements)?.frame ?? bounds
        switch numbers.below(4) {
        case 0:
            return ListRect(
                x: numbers.number(-100...800), y: numbers.number(-100...4000),
                width: numbers.number(0...400), height: numbers.number(0...900))
        case 1: return ListRect(x: frame.x, y: frame.y, width: bounds.width, height: bounds.height)
        case 2: return ListRect(x: frame.maxX, y: frame.y - 10, width: 100, height: 100)
        default:
            return ListRect(x: frame.x, y: frame.maxY, width: 0, height: numbers.number(0...300))
        }
    }

    // MARK: Points

    /// A point in or at the edge of an element, or anywhere.
    private func point(using numbers: inout RandomNumbers) -> ListPoint {
        guard let frame = numbers.pick(twin.elements)?.frame, !numbers.chance(20) else {
            return ListPoint(x: numbers.number(-50...800), y: numbers.number(-50...3000))
        }
        if twin.isExact {
            let x = numbers.pick([frame.x, frame.maxX, frame.center.x]) ?? frame.x
            let y = numbers.pick([frame.y, frame.maxY, frame.center.y]) ?? frame.y
            return ListPoint(x: x, y: y)
        }
        return ListPoint(
            x: frame.x + frame.width * Double(1 + numbers.below(98)) / 99.37,
            y: frame.y + frame.height * Double(1 + numbers.below(98)) / 99.37)
    }

    /// Whether rounding decides which element the point is in.
    private func isAtEdge(_ given: ListPoint) -> Bool {
        let point = ListPoint(x: given.x.distance, y: given.y.distance)
        return twin.elements.contains { element in
            let frame = element.frame
            return [frame.x, frame.maxX].contains { comparison.isSame($0, point.x) }
                || [frame.y, frame.maxY].contains { comparison.isSame($0, point.y) }
        }
    }

    private func targetDifference(_ proposed: ListPoint) -> String? {
        let target = layout.targetContentOffset(proposed: proposed, bounds: bounds)
        let expected = twin.targetContentOffset(proposed: proposed)
        if comparison.isSame(target, expected) { return nil }
        return "scrolling to \(proposed) ends at \(target), not \(expected)"
    }
}
