package import SyncModel

/// A collection that is laid out. It answers where everything is, and follows the collection's
/// batches.
///
/// It stacks sections along the scroll axis. The ``SectionBody`` of each section places its items.
///
/// One layout can serve many viewers, who pass the place and the size of their viewports. Viewers
/// with the same ``LayoutKey`` get the same answers as from layouts of their own.
///
/// Invariants:
/// 1. There is one ``LaidSection`` for each section, in order, with as many sizes as it has items.
/// 2. `starts` has the starts of the first sections, as many as are known. Later starts are
///    computed on request, so that no request waits for sections that are off the screen.
///
/// # Performance
/// A question costs what the bodies of its sections say, plus O(log s) for s sections if none
/// reaches out of its place. A batch costs what the bodies that it touches say, plus an addition
/// for the start of each later section. ``work`` counts the steps, ``byteCount`` the memory.
package final class CollectionLayout {
    package let layout: any ListLayout
    /// The environment of all plans. If sections follow each other, its viewport has no length
    /// along the scroll axis; each question's bounds supply it.
    @exclusivity(unchecked) package private(set) var environment: LayoutEnvironment
    // Swift does not check these for exclusive access, which takes time in each question. No two
    // accesses overlap.
    @exclusivity(unchecked) var sections: [LaidSection] = []
    /// Where sections begin along the scroll axis, as far as is known. With the end of the last
    /// one, once all are known.
    @exclusivity(unchecked) private var starts: [Double] = [0]
    /// Whether every section lies between its start and the next one's.
    @exclusivity(unchecked) private(set) var isContained = true
    /// The decorations that cover all of the content.
    @exclusivity(unchecked) private(set) var covers = ContentCovers()
    /// Whether some section's plan is out of date.
    @exclusivity(unchecked) var hasUnplanned = false
    /// The options of the section that was planned last. The next one mostly has the same.
    private var lastOptions: SectionOptions?

    /// Counts the steps.
    package let work: LayoutWork
    /// The memory in bytes, as of the last time that it was counted.
    @exclusivity(unchecked) package private(set) var byteCount = 0
    @exclusivity(unchecked) private var stepsWhenCounted = 0
    /// The greatest memory in bytes.
    package var byteLimit: Int

    /// The most items that a section may have.
    package static let itemLimit = 1 << 40
    /// The most elements in one answer.
    package static let elementLimit = 10_000_000
    /// The most sections and elements to look at for one answer. Very many items without a size,
    /// for example, may be at one place, and none of them in a rectangle that begins there. A
    /// caller with many questions sets a lower limit.
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

    /// Lays out a collection whose sizes are read piece by piece.
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

    /// Lays a collection out as a client's spec says.
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
        invalidateStarts(from: 0)
        plansDidChange()
    }

    /// The options of a section: its own over the layout's.
    func sharedOptions(_ own: LayoutOptions) -> SectionOptions {
        if let lastOptions, lastOptions.own == own { return lastOptions }
        let made = SectionOptions(own, in: layout)
        lastOptions = made
        return made
    }

    /// Counts the memory again, once the steps since the last count are about as many as counting
    /// takes.
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

    /// Plans all sections again, with their current sizes.
    func planAllAgain() throws(LayoutError) {
        try planAll(sections.map(\.ownOptions.own), sections.map(\.sizes))
    }

    /// Plans one section again.
    func planAgain(_ index: Int) throws(LayoutError) {
        sections[index] = try plan(
            sections[index].ownOptions, sections[index].sizes, at: index, 0, 0)
        invalidateStarts(from: index)
    }

    /// There are other sections, or other plans.
    func plansDidChange() {
        work.steps += 2 * (sections.count / LayoutWork.sectionsPerStep)
        isContained = sections.allSatisfy(\.isContained)
        covers = ContentCovers(sections)
    }

    /// An empty section, to be inserted at an index.
    func makeSection(_ own: LayoutOptions, at index: Int) throws(LayoutError) -> LaidSection {
        let shared = sharedOptions(own)
        let size = layout.itemSize(in: shared.merged) ?? .zero
        return try plan(shared, SizeList(repeating: size, count: 0), at: index, 0, 0)
    }

    /// Lays out for another environment, unless the current plans fit it too.
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

    /// Invalidates the starts of the sections after one.
    func invalidateStarts(from section: Int) {
        if starts.count > section + 1 { starts.removeLast(starts.count - section - 1) }
    }

    /// Where a section begins; for an index one beyond the last, where the last section ends.
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

    /// The sections that may have an element in a range of the scroll axis.
    func sections(from low: Double, to high: Double) -> Range<Int> {
        guard isContained, layout.stacksSections else { return sections.indices }
        // Compute the starts as far as needed; the end of the last section is not needed.
        while starts.count < sections.count, start(of: starts.count - 1) <= high {
            _ = start(of: starts.count)
        }
        var first = 0
        var end = starts.count
        while first < end {
            let middle = (first + end) / 2
            if starts[middle] < low { first = middle + 1 } else { end = middle }
        }
        // The last section that begins before `low` may reach beyond it. Empty sections may lie
        // between; they don't matter.
        let lower = max(first - 1, 0)
        var upper = lower
        while upper < sections.count, start(of: upper) <= high { upper += 1 }
        return min(lower, sections.count)..<upper
    }

    /// The size of everything that a viewport of this size can scroll to. The viewport's place does
    /// not matter.
    package func contentSize(in bounds: ListRect) -> ListSize {
        if sections.isEmpty { return .zero }
        let stacked = layout.scrollDirection.size(
            main: max(0, start(of: sections.count)), cross: contentCross)
        return layout.contentSize(stacked, in: environment(in: bounds))
    }

    /// The environment of a viewport at `bounds`. Only its length along the scroll axis comes from
    /// `bounds`.
    func environment(in bounds: ListRect) -> LayoutEnvironment {
        let length = layout.scrollDirection.main(bounds.size.lengths)
        return environment.with(mainLength: length, in: layout)
    }

    /// The content's length across the scroll axis.
    var contentCross: Double {
        let insets = layout.scrollDirection.insets(environment.contentInset)
        return max(0, layout.scrollDirection.cross(environment.viewport) - insets.cross)
    }
}
