import SyncModel

/// The options of a section, and everything that follows from them alone. Sections with the same
/// options share one.
final class SectionOptions {
    /// The options that its author set.
    let own: LayoutOptions
    /// The same over the options of all sections.
    let merged: LayoutOptions
    let direction: LayoutSpec.ScrollDirection
    /// The supplementaries before and after the items, and the lengths of both.
    let before: [CustomSupplementary]
    let behind: [CustomSupplementary]
    let beforeLength: Double
    let behindLength: Double
    /// The supplementaries that every item has.
    let atItems: [(supplementary: CustomSupplementary, corner: CustomSupplementary.Corner)]
    /// How far a supplementary of an item may reach beyond the item.
    let itemOverflow: Double
    /// The decorations that cover a part of the section, and those that cover all of the content.
    let areas: [Decoration]
    let covers: [Decoration]

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
        let decorations = merged.decorations ?? []
        areas = decorations.filter { layout.stacksSections && $0.cover != .content }
        covers = decorations.filter { !layout.stacksSections || $0.cover == .content }
    }

    private static func overflow(of supplementaries: [CustomSupplementary]) -> Double {
        let most = supplementaries.reduce(0) { most, supplementary in
            let size = supplementary.size.lengths
            let offset = supplementary.offset
            return max(
                most, abs(offset.x.distance) + size.width, abs(offset.y.distance) + size.height)
        }
        // Limited, so that sums with it stay finite.
        return min(most, 1e307)
    }
}
