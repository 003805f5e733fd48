import SyncModel

/// What is set for a section, and what follows from that whatever items it has. Sections for which
/// the same is set share it.
final class SectionOptions {
    /// What its author set for it.
    let own: LayoutOptions
    /// The same over what is set for all.
    let merged: LayoutOptions
    let direction: LayoutSpec.ScrollDirection
    /// The supplementaries before the items and behind them; how long these are.
    let before: [CustomSupplementary]
    let behind: [CustomSupplementary]
    let beforeLength: Double
    let behindLength: Double
    /// The supplementaries that every item has.
    let atItems: [(supplementary: CustomSupplementary, corner: CustomSupplementary.Corner)]
    /// By how much something of an item may reach beyond the item.
    let itemOverflow: Double

    init(_ own: LayoutOptions, in layout: any ListLayout) {
        self.own = own
        let merged = own.over(layout.options)
        self.merged = merged
        let direction = layout.scrollDirection
        self.direction = direction
        let supplementaries = merged.supplementaries ?? []
        func blocks(_ place: CustomSupplementary.Place) -> [CustomSupplementary] {
            layout.stacksSections
                ? supplementaries.filter {
                    $0.place == place && direction.main($0.size.lengths) > 0
                } : []
        }
        before = blocks(.beforeItems)
        behind = blocks(.afterItems)
        beforeLength = before.reduce(0) { $0 + direction.main($1.size.lengths) }
        behindLength = behind.reduce(0) { $0 + direction.main($1.size.lengths) }
        atItems = supplementaries.compactMap { supplementary in
            if case .atItem(let corner) = supplementary.place { return (supplementary, corner) }
            return nil
        }
        itemOverflow = SectionOptions.overflow(of: atItems.map(\.supplementary))
    }

    private static func overflow(of supplementaries: [CustomSupplementary]) -> Double {
        let most = supplementaries.reduce(0) { most, supplementary in
            let size = supplementary.size.lengths
            let offset = supplementary.offset
            return max(
                most, abs(offset.x.distance) + size.width, abs(offset.y.distance) + size.height)
        }
        // Beyond this, sums with it would be infinite.
        return min(most, 1e307)
    }
}
