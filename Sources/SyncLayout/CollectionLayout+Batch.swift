package import SyncModel

/// Following a collection's changes.
extension CollectionLayout {
    /// Brings the layout up to date with a batch. Only what the batch touches is laid out again.
    ///
    /// An item whose size equals its section's default counts as one without a size of its own:
    /// when it moves to another section, it gets the default there.
    ///
    /// - Throws: ``LayoutError``. Part of the batch may then be applied, and the collection must be
    ///   laid out again from the start.
    package func apply(_ batch: Batch) throws(LayoutError) {
        for stage in batch.stages { try apply(stage) }
    }

    private func apply(_ stage: Stage) throws(LayoutError) {
        var change = StageChange()
        for reload in stage.reloads { try replace(reload, &change) }
        for changed in stage.changedSections {
            guard sections.indices.contains(changed.index) else { throw .batchMismatch }
            let own = sections[changed.index].ownOptions.own.replacing(changed.section.content)
            sections[changed.index].ownOptions = sharedOptions(own)
            needPlan(changed.index)
            change.touch(changed.index)
        }
        let moved = try removeItems(stage, &change)
        try arrangeSections(stage, &change)
        try insertItems(stage, moved, &change)
        try finish(change)
    }

    /// What the current stage has changed so far.
    private struct StageChange {
        /// The first section whose start or extent may have changed.
        var first = Int.max
        var hasOtherCount = false
        var hasOtherSections = false

        mutating func touch(_ section: Int) { first = min(first, section) }
    }

    private func finish(_ change: StageChange) throws(LayoutError) {
        let hasChanged = change.hasOtherCount || hasUnplanned
        if hasChanged, !layout.stacksSections { return try planAllAgain() }
        invalidateStarts(from: min(change.first, sections.count))
        if hasUnplanned {
            work.steps += sections.count / LayoutWork.sectionsPerStep
            for index in sections.indices where sections[index].needsPlan { try planAgain(index) }
        }
        // Edits that a body followed need no check: its section still lies between its start and
        // its end.
        if hasUnplanned || change.hasOtherSections { plansDidChange() }
        hasUnplanned = false
        try updateByteCount()
    }

    /// Marks a section's plan as out of date.
    private func needPlan(_ section: Int) {
        sections[section].needsPlan = true
        hasUnplanned = true
    }

    // MARK: Items

    private func size(of item: Item, in section: Int) -> ListSize {
        layout.size(of: item.content.size, in: sections[section].options)
            ?? sections[section].sizes.common ?? .zero
    }

    private func follow(
        _ section: Int, _ edit: (SizeList, (SizeList.Change) -> Void) -> Void
    ) {
        let body = sections[section].plan.body
        var follows = true
        edit(sections[section].sizes) { follows = body.follow($0) && follows }
        sections[section].invalidateLength()
        if !follows { needPlan(section) }
    }

    private func replace(
        _ reload: Stage.PlacedItem, _ change: inout StageChange
    ) throws(LayoutError) {
        let path = reload.path
        guard sections.indices.contains(path.section),
            (0..<sections[path.section].sizes.count).contains(path.item)
        else { throw .batchMismatch }
        guard layout.itemSize(in: sections[path.section].options) != nil else { return }
        let size = size(of: reload.item, in: path.section)
        try checkRoom(path.section, for: size)
        follow(path.section) { $0.replace(at: path.item, with: size, $1) }
        change.touch(path.section)
    }

    /// Removes the deleted and the moved items. Returns the sizes of the moved ones by their old
    /// paths.
    private func removeItems(
        _ stage: Stage, _ change: inout StageChange
    ) throws(LayoutError) -> [ItemPath: ListSize?] {
        var moved: [ItemPath: ListSize?] = [:]
        for move in stage.moves { moved[move.from] = .some(nil) }
        for path in (stage.deletes + stage.moves.map(\.from)).sorted(by: >) {
            guard sections.indices.contains(path.section),
                (0..<sections[path.section].sizes.count).contains(path.item)
            else { throw .batchMismatch }
            var size = ListSize.zero
            follow(path.section) { size = $0.remove(at: path.item, $1) }
            if moved[path] != nil {
                let own = layout.itemSize(in: sections[path.section].options)
                moved[path] = .some(size == own ? nil : size)
            }
            change.touch(path.section)
            change.hasOtherCount = true
        }
        return moved
    }

    private func insertItems(
        _ stage: Stage, _ moved: [ItemPath: ListSize?], _ change: inout StageChange
    ) throws(LayoutError) {
        var coming: [(path: ItemPath, own: ListSize?)] = stage.inserts.map {
            ($0.path, $0.item.content.size)
        }
        coming += stage.moves.map { ($0.to, moved[$0.from] ?? nil) }
        coming.sort { $0.path < $1.path }
        for (path, own) in coming {
            guard sections.indices.contains(path.section),
                (0...sections[path.section].sizes.count).contains(path.item)
            else { throw .batchMismatch }
            let options = sections[path.section].options
            let size = layout.size(of: own, in: options) ?? sections[path.section].placeholder
            try checkRoom(path.section, for: size)
            follow(path.section) { $0.insert(size, at: path.item, $1) }
            change.touch(path.section)
            change.hasOtherCount = true
        }
    }

    /// Moves an item from one existing place to another, with the given size or the size that a
    /// move gives it. If it can't be there, everything stays as it is.
    ///
    /// - Returns: the item's old size.
    func relocate(
        _ path: ItemPath, to target: ItemPath, size given: ListSize? = nil
    ) throws(LayoutError) -> ListSize {
        let old = sections[path.section].sizes[path.item]
        let isDefault = old == layout.itemSize(in: sections[path.section].options)
        let size =
            given
            ?? layout.size(of: isDefault ? nil : old, in: sections[target.section].options)
            ?? sections[target.section].placeholder
        if path.section != target.section || size != old {
            try checkRoom(target.section, for: size)
        }
        var change = StageChange()
        change.touch(min(path.section, target.section))
        change.hasOtherCount = path.section != target.section
        follow(path.section) { _ = $0.remove(at: path.item, $1) }
        follow(target.section) { $0.insert(size, at: target.item, $1) }
        do throws(LayoutError) {
            try finish(change)
        } catch {
            follow(target.section) { _ = $0.remove(at: target.item, $1) }
            follow(path.section) { $0.insert(old, at: path.item, $1) }
            try finish(change)
            throw error
        }
        return old
    }

    /// Refuses a size if the section would then have to store too many sizes one by one.
    private func checkRoom(_ section: Int, for size: ListSize) throws(LayoutError) {
        let sizes = sections[section].sizes
        let limit = SizeList.itemLimit
        guard sizes.count < limit || sizes.isRepeated && sizes.common == size else {
            throw .itemCount(section: section, limit: limit)
        }
    }

    // MARK: Sections

    private func arrangeSections(
        _ stage: Stage, _ change: inout StageChange
    ) throws(LayoutError) {
        guard
            !(stage.deleteSections.isEmpty && stage.moveSections.isEmpty
                && stage.insertSections.isEmpty)
        else { return }
        var moved: [Int: LaidSection] = [:]
        let movedFrom = Set(stage.moveSections.map(\.from))
        for index in (stage.deleteSections + movedFrom).sorted(by: >) {
            guard sections.indices.contains(index) else { throw .batchMismatch }
            let section = sections.remove(at: index)
            if movedFrom.contains(index) { moved[index] = section }
            change.touch(index)
        }
        var coming: [(index: Int, section: LaidSection)] = []
        for insert in stage.insertSections {
            let options = LayoutOptions().replacing(insert.section.content)
            coming.append((insert.index, try makeSection(options, at: insert.index)))
        }
        for move in stage.moveSections {
            guard let section = moved[move.from] else { throw .batchMismatch }
            coming.append((move.to, section))
        }
        for (index, section) in coming.sorted(by: { $0.index < $1.index }) {
            guard (0...sections.count).contains(index) else { throw .batchMismatch }
            sections.insert(section, at: index)
            change.touch(index)
        }
        change.hasOtherCount = true
        change.hasOtherSections = true
    }
}

extension LaidSection {
    /// The size to use where the layout ignores sizes.
    fileprivate var placeholder: ListSize { sizes.common ?? .zero }
}

extension LayoutOptions {
    /// These options with the header and footer sizes that a section's content sets.
    func replacing(_ content: SectionContent) -> LayoutOptions {
        var options = self
        let supplementaries = content.supplementaries
        func size(_ kind: Identifier) -> ListSize? {
            supplementaries.first { $0.kind == kind }?.size
        }
        options.headerReferenceSize = size(LayoutElement.header)
        options.headerHeight = options.headerReferenceSize?.height
        options.footerReferenceSize = size(LayoutElement.footer)
        options.footerHeight = options.footerReferenceSize?.height
        return options
    }
}

extension SectionInput {
    /// The section of a room.
    package init(_ state: Snapshot.SectionState) {
        self.init(
            items: .sizes(state.items.map(\.content.size)), content: state.section.content)
    }

    /// The section of a room with other items, or only their number.
    package init(items: Items, content: SectionContent) {
        self.init(items: items, options: LayoutOptions().replacing(content))
    }
}
