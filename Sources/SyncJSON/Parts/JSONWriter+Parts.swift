package import SyncModel

// The texts of parts of lines, see ``LinePart``.

extension JSONWriter {
    /// Drops what was written, and begins a new text.
    package mutating func startOver() {
        reset()
        dropSeparator()
    }

    /// Writes the text of a part of a batch, as a new text.
    ///
    /// - Parameters:
    ///   - batch: the batch with the stages and counts of the part only.
    ///   - isContinued: whether the first stage continues the last one of the part before.
    ///   - hasMore: whether the batch continues in another part.
    package mutating func write(
        part batch: Batch, isContinued: Bool, hasMore: Bool
    ) -> BatchPart {
        var part = BatchPart(
            from: batch.from, to: batch.to, isContinued: isContinued, hasMore: hasMore)
        startOver()
        beginObject()
        key("batch")
        beginBatch(batch)
        part.stagesOffset = count
        part.hasStages = !batch.stages.isEmpty
        part.hasSeveralStages = batch.stages.count > 1
        part.hasCounts = !batch.counts.isEmpty
        // Only what comes after the stages says that no further stage follows.
        let leavesStageOpen = hasMore && batch.counts.isEmpty
        for (index, stage) in batch.stages.enumerated() {
            let isLast = index == batch.stages.count - 1
            let last = StageList.last(in: stage)
            if isLast { part.lastList = last }
            beginObject()
            if index == 0 { part.elementsOffset = count }
            for list in StageList.allCases where !list.isEmpty(in: stage) {
                key(list.name)
                beginList()
                if index == 0, part.firstList == nil {
                    part.firstList = list
                    part.elementsOffset = count
                }
                writeElements(of: list, in: stage)
                if isLast, leavesStageOpen, list == last { return part }
                endList()
            }
            if isLast, leavesStageOpen { return part }
            endObject()
        }
        if leavesStageOpen { return part }
        endList()
        member("sections", batch.sections)
        if !batch.counts.isEmpty {
            key("counts")
            beginList()
            part.countsOffset = count
            for sectionCount in batch.counts { write(sectionCount) }
            if hasMore { return part }
            endList()
        }
        endObject()
        endObject()
        return part
    }

    /// Begins the text of a part of a snapshot, as a new text. Its sections and items follow, then
    /// ``end(part:)``.
    package mutating func beginSnapshotPart(
        revision: Revision, isFirst: Bool, isLast: Bool
    ) -> SnapshotTextPart {
        startOver()
        return SnapshotTextPart(revision: revision, isFirst: isFirst, isLast: isLast)
    }

    /// Writes a section of a snapshot's part, or goes on with the last one.
    ///
    /// - Parameters:
    ///   - section: `nil` if the items belong to the last section before.
    ///   - items: the section's items, or the first of them.
    package mutating func write(
        section: ListSection?, items: [Item], to part: inout SnapshotTextPart
    ) {
        if let section {
            if !part.isEmpty { endSection() }
            begin(section)
            part.hasSections = true
            part.endsWithItems = false
        } else if !part.hasSections {
            part.isContinued = true
            if !items.isEmpty { part.beginsWithItems = true }
        }
        for item in items { write(item) }
        if !items.isEmpty { part.endsWithItems = true }
    }

    /// Ends the text of a part of a snapshot.
    package mutating func end(part: SnapshotTextPart) {
        guard part.isLast else { return }
        if !part.isEmpty { endSection() }
        endSnapshot()
    }
}
