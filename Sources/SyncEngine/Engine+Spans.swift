package import SyncModel
import SyncTree

/// Cutting the changes between two revisions into pieces, and the batches over these.
extension Engine {
    /// How far a batch from a revision may reach without holding much more than a limit. It reaches
    /// one revision at least.
    ///
    /// A piece that does not reach `to` ends at the revision that the highest power of two divides.
    /// So readers that begin at different revisions get the same cuts.
    ///
    /// # Performance
    /// O(k) for the k journal entries of the piece; O(1) if it stays within the limit even with
    /// contents of the largest size.
    ///
    /// - Parameter limit: in steps: one for each entry, and one for each 64 bytes of content.
    /// - Returns: the end, and an upper bound of the steps to there. It is above the limit only if
    ///   the piece is one revision.
    package func reach(
        from: Revision, to: Revision, stepLimit limit: Int
    ) -> (end: Revision, steps: Int) {
        let target = min(to, revision)
        guard from >= horizon, from < target else { return (target, 0) }
        let (most, overflows) = entryCount(from: from, to: target).multipliedReportingOverflow(
            by: 1 + Engine.steps(forBytes: blobs.largestLength))
        if !overflows, most <= limit { return (target, most) }
        var steps = 0
        var last = from
        while last < target {
            var more = 0
            for entry in journal.entries(last + 1...last + 1) { more += 1 + writingSteps(entry) }
            if last > from, steps + more > limit { break }
            steps += more
            last += 1
            if steps > limit { break }
        }
        return (last == target ? target : Engine.cut(from: from, upTo: last), steps)
    }

    /// The revision above `from` and not above `last` that the highest power of two divides.
    private static func cut(from: Revision, upTo last: Revision) -> Revision {
        var cut = last
        while cut & (cut - 1) > from { cut &= cut - 1 }
        return cut
    }

    /// The steps of writing the content that an entry refers to: the content as it is now, not as
    /// of that revision.
    private func writingSteps(_ entry: Journal.Entry) -> Int {
        let thing: ThingID
        if let version = entry.version {
            thing = versions[version].thing
        } else if let node = entry.node, !entry.isDeath {
            thing = nodes[node].thing
        } else {
            return 0
        }
        return Engine.steps(forBytes: blobs.size(things[thing].body))
    }

    /// An upper bound of the steps of the room's whole content, counted as
    /// ``reach(from:to:stepLimit:)`` does. O(1).
    package var contentSteps: Int {
        let things = itemCount + sectionCount
        let (most, overflows) = things.multipliedReportingOverflow(
            by: Engine.steps(forBytes: blobs.largestLength))
        let ever = Engine.steps(forBytes: blobs.byteCount)
        return things + (overflows ? ever : min(most, ever))
    }

    /// The bytes of all ids and contents that live. O(n).
    package var contentByteCount: Int {
        var bytes = 0
        tree.forEach(sectionSequence) { node, isLive in
            guard isLive else { return }
            bytes += blobs.bytes(things[nodes[node].thing].body).count
            tree.forEach(nodes[node].sequence) { node, isLive in
                if isLive { bytes += blobs.bytes(things[nodes[node].thing].body).count }
            }
        }
        return bytes
    }

    /// Calls `body` with the batch over each span, until it returns `false`. Spans that begin below
    /// the horizon or end above the room's revision are skipped.
    ///
    /// # Performance
    /// O(k log n) for the k nodes touched since the first span's end, and then for each batch what
    /// its span touched.
    ///
    /// - Parameter spans: in the order of their ends.
    package func forEachBatch(
        over spans: [(from: Revision, to: Revision)], _ body: (Batch) -> Bool
    ) {
        let spans = spans.filter { $0.from >= horizon && $0.from < $0.to && $0.to <= revision }
        guard let first = spans.first else { return }
        var view = OrderView(self, at: first.to)
        for (from, to) in spans {
            while view.revision < to { view.advance() }
            var composer = BatchComposer(view, from: from, to: to)
            if !body(composer.compose()) { return }
        }
    }
}
