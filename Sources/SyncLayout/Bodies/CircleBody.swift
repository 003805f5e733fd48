import SyncModel

/// The part of a circle that has a section's items.
///
/// # Performance
/// Nothing is cached; a place is O(1). A visit looks at the items on both sides of the circle that
/// are as high up as the area.
struct CircleBody: SectionBody {
    let sizes: SizeList
    let size: ListSize
    /// The number of items in earlier sections, and in all sections.
    let first: Int
    let total: Int
    let viewport: ListSize

    func follow(_ change: SizeList.Change) -> Bool { true }

    var length: Double { viewport.height }

    private var radius: Double { min(viewport.width, viewport.height) / 2.5 }

    func place(of item: Int) -> AxisRect {
        let angle = 2 * Double.pi * Double(first + item) / Double(max(total, 1))
        return AxisRect(
            main: viewport.height / 2 + radius * Angle.sine(angle) - size.height / 2,
            cross: viewport.width / 2 + radius * Angle.cosine(angle) - size.width / 2,
            mainLength: size.height, crossLength: size.width)
    }

    func visit(_ area: AxisRect, _ visit: (Int, AxisRect) -> Bool) {
        var next = 0
        for arc in arcs(from: area.main, to: area.mainEnd) {
            let pitch = 2 * Double.pi / Double(max(total, 1))
            let lower = Int((arc.lowerBound / pitch).rounded(.down)) - 1 - first
            let upper = Int((arc.upperBound / pitch).rounded(.up)) + 1 - first
            for item in max(next, lower)..<max(next, lower, min(upper + 1, sizes.count)) {
                if !visit(item, place(of: item)) { return }
                next = item + 1
            }
        }
    }

    /// The angles at which items may reach into a range of the scroll axis, in ascending order.
    private func arcs(from low: Double, to high: Double) -> [ClosedRange<Double>] {
        let lowest = low - viewport.height / 2 - size.height / 2
        let highest = high - viewport.height / 2 + size.height / 2
        guard lowest <= radius, highest >= -radius else { return [] }
        guard radius > 0 else { return [0...2 * Double.pi] }
        let start = Angle.arcSine(max(lowest / radius, -1))
        let end = max(start, Angle.arcSine(min(highest / radius, 1)))
        return [start...end, .pi - end ... .pi - start, 2 * .pi + start...2 * .pi + end]
    }
}
