package import SyncModel

/// A collection laid out: answers where everything is, and follows the collection's batches.
///
/// It stacks sections along the scroll axis; what is inside the items' part of each, its layout's
/// ``SectionBody`` knows.
///
/// It may be asked on behalf of many viewers, who tell where and how large their viewports are:
/// those with the same ``LayoutKey`` get from it what a layout of their own would answer.
///
/// Invariants:
/// 1. There is one ``LaidSection`` for each section, in order, with as many sizes as it has items.
/// 2. `starts` holds where the first sections begin, as many as are known; those behind are
///    computed when they are asked for, so that nobody waits for what is not on the screen.
///
/// # Performance
/// A question costs what its sections' bodies say, and O(log s) for s sections, where none reaches
/// out of its place. A batch costs what the bodies it touches say; where sections behind it begin
/// is added up anew, an addition each. ``work`` counts what was done, ``byteCount`` what is held.
package final class CollectionLayout {
    package let layout: any ListLayout
    /// What all is planned for. Where sections follow each other, its viewport has no length along
    /// the scroll axis: that is known with the bounds of a question.
    @exclusivity(unchecked) package private(set) var environment: LayoutEnvironment
    // No two accesses overlap here. So Swift does not check that at run time, which would cost time
    // with each question.
    @exclusivity(unchecked) var sections: [LaidSection] = []
    /// Where sections begin along the scroll axis, as far as is known; one more than there are
    /// sections when all is.
    @exclusivity(unchecked) private var starts: [Double] = [0]
    /// Whether every section lies between its start and the next one's.
    @exclusivity(unchecked) private(set) var isContained = true
    /// Whether some section's plan is no longer true.
    @exclusivity(unchecked) var hasUnplanned = false
    /// What was set for the section planned last: mostly it is the same for the next one.
    private var lastOptions: SectionOptions?

    /// What was done so far.
    package let work: LayoutWork
    /// How many bytes it takes, as of the last change of some size.
    @exclusivity(unchecked) package private(set) var byteCount = 0
    @exclusivity(unchecked) private var stepsWhenCounted = 0
    /// How many bytes it may take.
    package var byteLimit: Int

    /// The most items that a section may have.
    package static let itemLimit = 1 << 40
    /// The most elements that are given at once.
    package static let elementLimit = 10_000_000
    /// The most sections and elements that are looked at to answer a question. Of items without any
    /// size, say, a great many may be at one place, and none of them in a rectangle that begins
    /// there. Who answers many questions sets it lower.
    package var lookLimit = 2 * elementLimit

    /// Lays a collection out.
    package init(
        _ layout: any ListLayout, in environment: LayoutEnvironment,
        sections inputs: [SectionInput],
        byteLimit: Int = .max
    ) throws(LayoutError) {
        self.layout = layout
        self.byteLimit = byteLimit
        work = LayoutWork()
        self.environment = environment.shared(by: layout)
        var sizes: [SizeList] = []
        for (index, input) in inputs.enumerated() {
            sizes.append(try CollectionLayout.sizes(of: input, at: index, layout))
        }
        try planAll(inputs.map(\.options), sizes)
    }

    /// Lays a collection out whose sizes are read piece by piece.
    package init(
        _ layout: any ListLayout, in environment: LayoutEnvironment, sources: [SectionSource],
        byteLimit: Int = .max, work: LayoutWork = LayoutWork()
    ) throws(LayoutError) {
        self.layout = layout
        self.byteLimit = byteLimit
        self.work = work
        self.environment = environment.shared(by: layout)
        var sizes: [SizeList] = []
        var bytes = 0
        for (index, source) in sources.enumerated() {
            let list = try source.makeSizes(at: index, layout)
            bytes += list.byteCount
            work.steps += list.count
            guard bytes <= byteLimit else { throw .tooLarge(bytes: byteLimit) }
            sizes.append(list)
        }
        try planAll(sources.map { LayoutOptions().replacing($0.content) }, sizes)
    }

    /// Lays a collection out as a client asks for it.
    package convenience init(
        _ spec: LayoutSpec, in environment: LayoutEnvironment, sections: [SectionInput]
    ) throws(LayoutError) {
        try self.init(spec.makeLayout(), in: environment, sections: sections)
    }

    private static func sizes(
        of input: SectionInput, at index: Int, _ layout: any ListLayout
    ) throws(LayoutError) -> SizeList {
        guard input.count >= 0, input.count <= itemLimit else {
            throw .itemCount(section: index, limit: itemLimit)
        }
        let options = input.options.over(layout.options)
        guard let common = layout.itemSize(in: options) else {
            return SizeList(repeating: ListSize.zero, count: input.count)
        }
        switch input.items {
        case .count(let count): return SizeList(repeating: common, count: count)
        case .sizes(let sizes):
            guard sizes.count <= SizeList.itemLimit else {
                throw .itemCount(section: index, limit: SizeList.itemLimit)
            }
            return SizeList(sizes, absent: common)
        }
    }

    // MARK: Planning

    private func planAll(_ options: [LayoutOptions], _ sizes: [SizeList]) throws(LayoutError) {
        let total = sizes.reduce(0) { $0 + $1.count }
        var first = 0
        var bytes = 0
        var planned: [LaidSection] = []
        planned.reserveCapacity(sizes.count)
        for index in sizes.indices {
            let section = try plan(
                sharedOptions(options[index]), sizes[index], at: index, first, total)
            bytes += section.byteCount
            guard bytes <= byteLimit else { throw .tooLarge(bytes: byteLimit) }
            planned.append(section)
            first += sizes[index].count
        }
        sections = planned
        byteCount = bytes
        stepsWhenCounted = work.steps
        hasUnplanned = false
        forgetStarts(from: 0)
        updateIsContained()
    }

    /// What is set for a section for which its author has set this.
    func sharedOptions(_ own: LayoutOptions) -> SectionOptions {
        if let lastOptions, lastOptions.own == own { return lastOptions }
        let made = SectionOptions(own, in: layout)
        lastOptions = made
        return made
    }

    /// Counts the bytes anew, if about as much was done since as counting takes.
    func updateByteCount() throws(LayoutError) {
        guard work.steps - stepsWhenCounted >= sections.count / LayoutWork.sectionsPerStep else {
            return
        }
        work.steps += sections.count / LayoutWork.sectionsPerStep
        stepsWhenCounted = work.steps
        byteCount = sections.reduce(0) { $0 + $1.byteCount }
        guard byteCount <= byteLimit else { throw .tooLarge(bytes: byteLimit) }
    }

    private func plan(
        _ shared: SectionOptions, _ sizes: SizeList, at index: Int, _ first: Int, _ total: Int
    ) throws(LayoutError) -> LaidSection {
        work.steps += LayoutWork.stepsPerPlan
        let section = LayoutSection(
            index: index, options: shared.merged, sizes: sizes, firstItem: first,
            totalItems: total, work: work)
        let plan = try layout.plan(section, in: environment)
        return LaidSection(shared, sizes, plan)
    }

    /// Plans all sections anew, with the sizes they have.
    func planAllAgain() throws(LayoutError) {
        try planAll(sections.map(\.ownOptions.own), sections.map(\.sizes))
    }

    /// Plans one section anew.
    func planAgain(_ index: Int) throws(LayoutError) {
        sections[index] = try plan(
            sections[index].ownOptions, sections[index].sizes, at: index, 0, 0)
        forgetStarts(from: index)
    }

    func updateIsContained() {
        work.steps += sections.count / LayoutWork.sectionsPerStep
        isContained = sections.allSatisfy(\.isContained)
    }

    /// An empty section that is to take a place among the others.
    func makeSection(_ own: LayoutOptions, at index: Int) throws(LayoutError) -> LaidSection {
        let shared = sharedOptions(own)
        let size = layout.itemSize(in: shared.merged) ?? .zero
        return try plan(shared, SizeList(repeating: size, count: 0), at: index, 0, 0)
    }

    /// Lays out for another viewport, unless that can share what is laid out.
    package func change(to environment: LayoutEnvironment) throws(LayoutError) {
        let old = self.environment
        let new = environment.shared(by: layout)
        if new == old { return }
        self.environment = new
        do throws(LayoutError) {
            try planAllAgain()
        } catch {
            self.environment = old
            throw error
        }
    }

    // MARK: Sections along the scroll axis

    /// Forgets where the sections behind one begin.
    func forgetStarts(from section: Int) {
        if starts.count > section + 1 { starts.removeLast(starts.count - section - 1) }
    }

    /// Where a section begins; the end of all for one more than there are.
    func start(of section: Int) -> Double {
        guard layout.stacksSections else { return 0 }
        if starts.count <= section {
            work.steps += 1 + (section - starts.count) / LayoutWork.sectionsPerStep
            while starts.count <= section {
                let last = starts.count - 1
                starts.append(starts[last] + sections[last].length)
            }
        }
        return starts[section]
    }

    /// The sections that may have something between two places.
    func sections(from low: Double, to high: Double) -> Range<Int> {
        guard isContained, layout.stacksSections else { return sections.indices }
        // Learn the starts as far as is asked for; nobody asks where the last section ends.
        while starts.count < sections.count, start(of: starts.count - 1) <= high {
            _ = start(of: starts.count)
        }
        var first = 0
        var end = starts.count
        while first < end {
            let middle = (first + end) / 2
            if starts[middle] < low { first = middle + 1 } else { end = middle }
        }
        // The one that begins last before `low` may reach beyond it; so may empty ones, which don't
        // matter.
        let lower = max(first - 1, 0)
        var upper = lower
        while upper < sections.count, start(of: upper) <= high { upper += 1 }
        return min(lower, sections.count)..<upper
    }

    /// The size of all that a viewport at `bounds` can be scrolled to. Where that is does not
    /// matter.
    package func contentSize(in bounds: ListRect) -> ListSize {
        if sections.isEmpty { return .zero }
        let stacked = layout.scrollDirection.size(
            main: max(0, start(of: sections.count)), cross: contentCross)
        return layout.contentSize(stacked, in: environment(in: bounds))
    }

    /// The environment of a viewport at `bounds`. Across the scroll axis that is as long as all
    /// are.
    func environment(in bounds: ListRect) -> LayoutEnvironment {
        let length = layout.scrollDirection.main(bounds.size.lengths)
        return environment.with(mainLength: length, in: layout)
    }

    /// How long the content is across.
    var contentCross: Double {
        let insets = layout.scrollDirection.insets(environment.contentInset)
        return max(0, layout.scrollDirection.cross(environment.viewport) - insets.cross)
    }
}
