import SyncEngine

/// A section that is laid out: its items' sizes, the plan made of them, and where its parts begin, counted
/// from its own start.
///
/// What questions ask again and again is found out once.
final class LaidSection {
    /// A supplementary that takes a block of its own.
    struct Block {
        var supplementary: CustomSupplementary
        var start: Double
        var length: Double
    }

    /// What its author set for it.
    var ownOptions: LayoutOptions
    /// The same over what is set for all.
    let options: LayoutOptions
    let sizes: SizeList
    let plan: SectionPlan
    /// Whether the plan is no longer true.
    var needsPlan = false
    /// The supplementaries before the items and behind them; how long these are.
    private let before: [CustomSupplementary]
    private let behind: [CustomSupplementary]
    private let beforeLength: Double
    private let behindLength: Double
    /// The supplementaries that every item has.
    let atItems: [(supplementary: CustomSupplementary, corner: CustomSupplementary.Corner)]
    private let direction: LayoutSpec.ScrollDirection
    /// By how much something of an item may reach beyond the item.
    let itemOverflow: Double
    /// Whether something that depends on its end is seen before that comes into sight.
    let showsEndEarly: Bool
    /// Whether all but the items lies between its start and its end, and its end not before its start.
    private let isOtherContained: Bool

    init(
        _ ownOptions: LayoutOptions, _ options: LayoutOptions, _ sizes: SizeList,
        _ plan: SectionPlan, _ layout: any Layout
    ) {
        self.ownOptions = ownOptions
        self.options = options
        self.sizes = sizes
        self.plan = plan
        let direction = layout.scrollDirection
        self.direction = direction
        let supplementaries = options.supplementaries ?? []
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
        itemOverflow = LaidSection.overflow(of: atItems.map(\.supplementary))
        let decorations = options.decorations ?? []
        showsEndEarly = plan.footer.pins && plan.footer.length > 0 || !decorations.isEmpty
        // A decoration that is inset by more than its area is empty, and behind that.
        let leastBehindAreaStart =
            plan.leadInset + plan.trailInset + behindLength + plan.footer.block
        isOtherContained =
            plan.leadInset >= 0 && plan.trailInset >= 0 && atItems.isEmpty
            && (before + behind).allSatisfy { $0.offset == Point() }
            && [plan.header, plan.footer].allSatisfy {
                $0.insets.mainLead >= 0 && $0.insets.mainTrail >= 0
            }
            && decorations.allSatisfy {
                let insets = direction.insets($0.inset.distances)
                return insets.mainLead >= 0 && insets.mainTrail >= 0
                    && insets.mainLead <= leastBehindAreaStart
            }
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

    // MARK: Along the scroll axis

    /// Where the items' part begins, insets included, and where the items themselves do.
    var areaStart: Double { plan.header.block + beforeLength }
    var itemsStart: Double { areaStart + plan.leadInset }
    var areaEnd: Double { itemsStart + plan.body.length + plan.trailInset }
    var footerStart: Double { areaEnd + behindLength }
    var length: Double { footerStart + plan.footer.block }

    var blocksBefore: [Block] { place(before, from: plan.header.block) }
    var blocksBehind: [Block] { place(behind, from: areaEnd) }

    private func place(
        _ supplementaries: [CustomSupplementary], from start: @autoclosure () -> Double
    ) -> [Block] {
        if supplementaries.isEmpty { return [] }
        var start = start()
        return supplementaries.map { supplementary in
            let length = direction.main(supplementary.size.lengths)
            defer { start += length }
            return Block(supplementary: supplementary, start: start, length: length)
        }
    }

    /// Whether all of it lies between its start and its end, and its end not before its start.
    var isContained: Bool { isOtherContained && plan.body.start >= 0 }
}
