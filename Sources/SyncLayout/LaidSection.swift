import SyncModel

/// A section that is laid out: its items' sizes, the plan made of them, and where its parts begin,
/// counted from its own start.
///
/// What questions ask again and again is found out once.
final class LaidSection {
    /// A supplementary that takes a block of its own.
    struct Block {
        var supplementary: CustomSupplementary
        var start: Double
        var length: Double
    }

    /// What is set for it; many sections share it.
    let shared: SectionOptions
    /// What its author set for it since it was planned, if anything.
    private var newOptions: SectionOptions?
    let sizes: SizeList
    let plan: SectionPlan
    /// Whether the plan is no longer true.
    var needsPlan = false
    /// How long it is, if that was found out since its sizes changed.
    private var knownLength: Double?
    /// Whether something that depends on its end is seen before that comes into sight.
    let showsEndEarly: Bool
    /// Whether all but the items lies between its start and its end, and its end not before its
    /// start.
    private let isOtherContained: Bool

    /// What is set for it: its author's over what is set for all.
    var options: LayoutOptions { shared.merged }
    private var before: [CustomSupplementary] { shared.before }
    private var behind: [CustomSupplementary] { shared.behind }
    private var beforeLength: Double { shared.beforeLength }
    private var behindLength: Double { shared.behindLength }
    private var direction: LayoutSpec.ScrollDirection { shared.direction }
    /// The supplementaries that every item has.
    var atItems: [(supplementary: CustomSupplementary, corner: CustomSupplementary.Corner)] {
        shared.atItems
    }
    /// By how much something of an item may reach beyond the item.
    var itemOverflow: Double { shared.itemOverflow }

    init(_ shared: SectionOptions, _ sizes: SizeList, _ plan: SectionPlan) {
        self.shared = shared
        self.sizes = sizes
        self.plan = plan
        let (before, behind, atItems) = (shared.before, shared.behind, shared.atItems)
        let (direction, behindLength) = (shared.direction, shared.behindLength)
        let decorations = shared.merged.decorations ?? []
        showsEndEarly = plan.footer.pins && plan.footer.length > 0 || !decorations.isEmpty
        // A decoration that is inset by more than its area is empty, and behind that.
        let leastBehindAreaStart =
            plan.leadInset + plan.trailInset + behindLength + plan.footer.block
        isOtherContained =
            plan.leadInset >= 0 && plan.trailInset >= 0 && atItems.isEmpty
            && (before + behind).allSatisfy { $0.offset == ListPoint() }
            && [plan.header, plan.footer].allSatisfy {
                $0.insets.mainLead >= 0 && $0.insets.mainTrail >= 0
            }
            && decorations.allSatisfy {
                let insets = direction.insets($0.inset.distances)
                return insets.mainLead >= 0 && insets.mainTrail >= 0
                    && insets.mainLead <= leastBehindAreaStart
            }
    }

    /// What its author set for it, as it is to be planned next.
    var ownOptions: SectionOptions {
        get { newOptions ?? shared }
        set { newOptions = newValue }
    }

    /// How many bytes it takes.
    var byteCount: Int { LaidSection.bytesOfNone + sizes.byteCount + plan.body.byteCount }

    private static let bytesOfNone = 320

    // MARK: Along the scroll axis

    /// Where the items' part begins, insets included, and where the items themselves do.
    var areaStart: Double { plan.header.block + beforeLength }
    var itemsStart: Double { areaStart + plan.leadInset }
    var areaEnd: Double { itemsStart + plan.body.length + plan.trailInset }
    var footerStart: Double { areaEnd + behindLength }
    var length: Double {
        if let knownLength { return knownLength }
        let length = footerStart + plan.footer.block
        knownLength = length
        return length
    }

    /// Its sizes are others.
    func forgetLength() { knownLength = nil }

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
