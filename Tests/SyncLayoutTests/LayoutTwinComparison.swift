import SyncLayout
import SyncModel

/// Compares two layouts: identities, order and levels exactly, numbers to a billionth.
struct LayoutTwinComparison {
    /// The allowed difference of all numbers: a rounding error of the largest one.
    private let slack: Double

    /// A comparison of layouts that add numbers of up to this magnitude.
    init(largest: Double) {
        slack = max(1e-9, largest * 1e-14)
    }

    func isSame(_ first: Double, _ second: Double) -> Bool {
        if first == second || (first.isNaN && second.isNaN) { return true }
        return abs(first - second) <= slack + 1e-9 * min(abs(first), abs(second))
    }

    func isSame(_ first: ListSize, _ second: ListSize) -> Bool {
        isSame(first.width, second.width) && isSame(first.height, second.height)
    }

    func isSame(_ first: ListPoint, _ second: ListPoint) -> Bool {
        isSame(first.x, second.x) && isSame(first.y, second.y)
    }

    private func isSame(_ first: ListRect, _ second: ListRect) -> Bool {
        isSame(first.x, second.x) && isSame(first.y, second.y) && isSame(first.size, second.size)
    }

    private func isSame(_ first: LayoutElement, _ second: LayoutElement) -> Bool {
        first.identity == second.identity && isSame(first.frame, second.frame)
            && first.zIndex == second.zIndex && isSame(first.scale, second.scale)
            && isSame(first.alpha, second.alpha) && first.isHidden == second.isHidden
    }

    /// The first difference, for people; `nil` if there is none.
    func difference(_ given: [LayoutElement], expected: [LayoutElement]) -> String? {
        for index in 0..<min(given.count, expected.count) {
            if isSame(given[index], expected[index]) { continue }
            return "element \(index) is \(LayoutTwinComparison.text(given[index])), "
                + "not \(LayoutTwinComparison.text(expected[index]))"
        }
        if let more = given.dropFirst(expected.count).first {
            return "there is one too many: \(LayoutTwinComparison.text(more))"
        }
        return expected.dropFirst(given.count).first.map {
            "one is missing: \(LayoutTwinComparison.text($0))"
        }
    }

    private static func text(_ element: LayoutElement) -> String {
        let frame = element.frame
        let name =
            switch element.identity {
            case .cell(let path): "cell \(path.section).\(path.item)"
            case .supplementary(let kind, let section): "\(kind) of \(section)"
            case .itemSupplementary(let kind, let path):
                "\(kind) of \(path.section).\(path.item)"
            case .decoration(let kind, let section): "\(kind) of \(section)"
            }
        return "\(name) (\(frame.x), \(frame.y), \(frame.width), \(frame.height)) "
            + "z \(element.zIndex) scale \(element.scale)"
    }
}
