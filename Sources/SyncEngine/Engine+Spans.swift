package import SyncModel
import SyncTree

/// Where what happened between two revisions is cut, and the batches over the pieces.
extension Engine {
    /// How far a batch from a revision may reach, so that what it holds is not much more than a
    /// limit: one revision at least.
    ///
    /// Where that is not all, the piece ends at the revision that most powers of two divide. So
    /// those who begin at different revisions come to the same cuts.
    ///
    /// # Performance
    /// O(k) for the k journal entries of the piece; O(1) where not even the largest contents would
    /// come to the limit.
    ///
    /// - Parameter limit: in steps, one for an entry and for 64 bytes of content.
    /// - Returns: the end, and how many steps it is to there, or more: above the limit only if that
    ///   is one revision.
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

    /// The revision above one, and not above another, that most powers of two divide.
    private static func cut(from: Revision, upTo last: Revision) -> Revision {
        var cut = last
        while cut & (cut - 1) > from { cut &= cut - 1 }
        return cut
    }

    /// What writing the content takes that an entry stands for. It is not the one of that revision,
    /// but of now.
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

    /// The steps of all that the room holds, or more, in those of ``reach(from:to:stepLimit:)``.
    /// O(1).
    package var contentSteps: Int {
        let things = itemCount + sectionCount
        let (most, overflows) = things.multipliedReportingOverflow(
            by: Engine.steps(forBytes: blobs.largestLength))
        let ever = Engine.steps(forBytes: blobs.byteCount)
        return things + (overflows ? ever : min(most, ever))
    }

    /// The bytes of all that the room holds. O(n).
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

    /// Calls `body` with the batch over each of some spans, until it returns `false`. Those that
    /// are not within the horizon, or go above the room's revision, are left out.
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
