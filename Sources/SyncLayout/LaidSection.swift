import SyncModel

/// A section that is laid out: the sizes of its items, its plan, and where its parts begin, counted
/// from its own start.
///
/// It computes once what many questions need.
final class LaidSection {
    /// A supplementary that has a block of its own along the scroll axis.
    struct Block {
        var supplementary: CustomSupplementary
        var start: Double
        var length: Double
    }

    /// The section's options; many sections share them.
    let shared: SectionOptions
    /// The options that its author set since it was planned, if any.
    private var newOptions: SectionOptions?
    let sizes: SizeList
    let plan: SectionPlan
    /// Whether the plan is out of date.
    var needsPlan = false
    /// The section's length; `nil` if it was not computed since the sizes changed.
    private var knownLength: Double?
    /// Whether an element that depends on the section's end may be visible before that end is.
    let showsEndEarly: Bool
    /// Whether everything except the items lies between the section's start and end, and the end is
    /// not before the start.
    private let isOtherContained: Bool

    /// The effective options: its author's over those of all sections.
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
    /// How far a supplementary of an item may reach beyond the item.
    var itemOverflow: Double { shared.itemOverflow }

    init(_ shared: SectionOptions, _ sizes: SizeList, _ plan: SectionPlan) {
        self.shared = shared
        self.sizes = sizes
        self.plan = plan
        let (before, behind, atItems) = (shared.before, shared.behind, shared.atItems)
        let (direction, behindLength) = (shared.direction, shared.behindLength)
        showsEndEarly = plan.footer.pins && plan.footer.length > 0 || !shared.areas.isEmpty
        // If a decoration's insets exceed its area, it is empty and lies after the area.
        let leastBehindAreaStart =
            plan.leadInset + plan.trailInset + behindLength + plan.footer.block
        isOtherContained =
            plan.leadInset >= 0 && plan.trailInset >= 0 && atItems.isEmpty
            && (before + behind).allSatisfy { $0.offset == ListPoint() }
            && [plan.header, plan.footer].allSatisfy {
                $0.insets.mainLead >= 0 && $0.insets.mainTrail >= 0
            }
            && shared.areas.allSatisfy {
                let insets = direction.insets($0.inset.distances)
                return insets.mainLead >= 0 && insets.mainTrail >= 0
                    && insets.mainLead <= leastBehindAreaStart
            }
    }

    /// The options that its author set, for the next plan.
    var ownOptions: SectionOptions {
        get { newOptions ?? shared }
        set { newOptions = newValue }
    }

    /// How many bytes it takes.
    var byteCount: Int { LaidSection.bytesOfNone + sizes.byteCount + plan.body.byteCount }

    private static let bytesOfNone = 320

    // MARK: Along the scroll axis

    /// Where the items' area begins, insets included, and where the items themselves begin.
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

    /// To be called when sizes have changed.
    func invalidateLength() { knownLength = nil }

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

    /// Whether everything lies between its start and its end, and the end is not before the start.
    var isContained: Bool { isOtherContained && plan.body.start >= 0 }
}
