import SyncLayout
import SyncModel

/// Places a section's items in segments of one, two or three items.
struct MosaicSegments {
    let count: Int
    let left: Double
    let width: Double
    let decisions: Decisions

    private enum Segment {
        case full, half, twoThirds, oneThird

        var count: Int {
            switch self {
            case .full: 1
            case .half: 2
            case .twoThirds, .oneThird: 3
            }
        }
    }

    private static let height = 200.0
    private static let gap = 1.0

    init(
        _ section: SectionInput, _ options: PlainOptions, contentWidth: Double, decisions: Decisions
    ) {
        count = max(0, section.count)
        left = options.sectionInset.left
        width = max(0, contentWidth - options.sectionInset.left - options.sectionInset.right)
        self.decisions = decisions
    }

    func items() -> PlainItems {
        var items = PlainItems()
        var number = 0
        while items.frames.count < count {
            let segment = segment(number, itemsLeft: count - items.frames.count)
            items.frames += frames(of: segment, top: items.length + MosaicSegments.gap)
            items.length += MosaicSegments.gap + MosaicSegments.height
            number += 1
        }
        return items
    }

    private func segment(_ number: Int, itemsLeft: Int) -> Segment {
        if number == 0 || itemsLeft == 1 { return .full }
        if itemsLeft == 2 { return .half }
        return [.half, .twoThirds, .oneThird][(number - 1) % 3]
    }

    private func frames(of segment: Segment, top: Double) -> [ListRect] {
        let whole = ListRect(x: left, y: top, width: width, height: MosaicSegments.height)
        switch segment {
        case .full:
            return [whole]
        case .half:
            let (first, second) = sides(of: whole, width: decisions.ceil(width / 2))
            return [first, second]
        case .twoThirds:
            let (large, small) = sides(of: whole, width: decisions.ceil(width * 2 / 3))
            return [large] + stacked(small)
        case .oneThird:
            let (small, large) = sides(of: whole, width: decisions.ceil(width / 3))
            return stacked(small) + [large]
        }
    }

    /// A left side of the given width, and the rest beside it.
    private func sides(of whole: ListRect, width: Double) -> (ListRect, ListRect) {
        var first = whole
        var second = whole
        first.width = width
        second.x = whole.x + width + MosaicSegments.gap
        second.width = max(0, whole.width - width - MosaicSegments.gap)
        return (first, second)
    }

    /// An upper half, and the rest below it.
    private func stacked(_ whole: ListRect) -> [ListRect] {
        var upper = whole
        var lower = whole
        upper.height = decisions.ceil(whole.height / 2)
        lower.y = whole.y + upper.height + MosaicSegments.gap
        lower.height = max(0, whole.height - upper.height - MosaicSegments.gap)
        return [upper, lower]
    }
}
