/// Items in a repeating pattern of segments: a full one first, then two halves, a large one beside
/// two small ones, two small ones beside a large one, and so on.
///
/// # Performance
/// Nothing is cached, and every place is O(1).
struct MosaicBody: SectionBody {
    private static let segmentLength = 200.0
    private static let gap = 1.0
    private static let pitch = segmentLength + gap
    /// After the first segment the pattern repeats every three segments, or eight items.
    private static let cycleSegments = 3
    private static let cycleItems = 8

    let sizes: SizeList
    /// Where segments begin across, and how long they are.
    let start: Double
    let crossLength: Double

    private enum Segment {
        case full
        case half
        case largeFirst
        case largeLast

        var itemCount: Int {
            switch self {
            case .full: 1
            case .half: 2
            case .largeFirst, .largeLast: 3
            }
        }
    }

    func follow(_ change: SizeList.Change) -> Bool { true }

    private var segmentCount: Int {
        sizes.count == 0 ? 0 : segment(of: sizes.count - 1).index + 1
    }

    var length: Double { Double(segmentCount) * MosaicBody.pitch }

    /// The index of the segment that has an item, and the segment's first item.
    private func segment(of item: Int) -> (index: Int, first: Int) {
        if item == 0 { return (0, 0) }
        let (cycle, rest) = (item - 1).quotientAndRemainder(dividingBy: MosaicBody.cycleItems)
        let inCycle = rest < 2 ? 0 : rest < 5 ? 1 : 2
        let first = 1 + cycle * MosaicBody.cycleItems + [0, 2, 5][inCycle]
        return (1 + cycle * MosaicBody.cycleSegments + inCycle, first)
    }

    private func kind(_ segment: (index: Int, first: Int)) -> Segment {
        if segment.index == 0 { return .full }
        switch sizes.count - segment.first {
        case 1: return .full
        case 2: return .half
        default: break
        }
        switch (segment.index - 1) % MosaicBody.cycleSegments {
        case 0: return .half
        case 1: return .largeFirst
        default: return .largeLast
        }
    }

    func place(of item: Int) -> AxisRect {
        let segment = segment(of: item)
        return place(item - segment.first, in: kind(segment), at: segment.index)
    }

    private func place(_ position: Int, in kind: Segment, at index: Int) -> AxisRect {
        let whole = AxisRect(
            main: Double(index) * MosaicBody.pitch + MosaicBody.gap, cross: start,
            mainLength: MosaicBody.segmentLength, crossLength: crossLength)
        switch (kind, position) {
        case (.full, _): return whole
        case (.half, 0): return whole.cut((crossLength / 2).wholeAbove).first
        case (.half, _): return whole.cut((crossLength / 2).wholeAbove).second
        case (.largeFirst, 0): return whole.cut((crossLength * 2 / 3).wholeAbove).first
        case (.largeFirst, _):
            return whole.cut((crossLength * 2 / 3).wholeAbove).second.stacked(position - 1)
        case (.largeLast, 2): return whole.cut((crossLength / 3).wholeAbove).second
        case (.largeLast, _):
            return whole.cut((crossLength / 3).wholeAbove).first.stacked(position)
        }
    }

    func visit(_ area: AxisRect, _ visit: (Int, AxisRect) -> Bool) {
        let last = Double(segmentCount - 1)
        guard last >= 0, area.mainEnd >= 0 else { return }
        let first = min(max((area.main / MosaicBody.pitch).rounded(.down) - 1, 0), last)
        let end = min(max((area.mainEnd / MosaicBody.pitch).rounded(.down), 0), last)
        var item = self.first(ofSegment: Int(first))
        while item < sizes.count {
            let segment = segment(of: item)
            if Double(segment.index) > end { return }
            let kind = kind(segment)
            for position in 0..<kind.itemCount where item < sizes.count {
                if !visit(item, place(position, in: kind, at: segment.index)) { return }
                item += 1
            }
        }
    }

    private func first(ofSegment index: Int) -> Int {
        if index == 0 { return 0 }
        let (cycle, rest) = (index - 1).quotientAndRemainder(dividingBy: MosaicBody.cycleSegments)
        return 1 + cycle * MosaicBody.cycleItems + [0, 2, 5][rest]
    }
}

extension AxisRect {
    /// Cuts it across into two parts, with a gap of one point between them.
    fileprivate func cut(_ length: Double) -> (first: AxisRect, second: AxisRect) {
        var first = self
        first.crossLength = length
        var second = self
        second.cross += length + 1
        second.crossLength = max(0, crossLength - length - 1)
        return (first, second)
    }

    /// The upper or the lower half, with a gap of one point between them.
    fileprivate func stacked(_ position: Int) -> AxisRect {
        let length = (mainLength / 2).rounded(.up)
        var part = self
        part.main += position == 0 ? 0 : length + 1
        part.mainLength = position == 0 ? length : max(0, mainLength - length - 1)
        return part
    }
}
