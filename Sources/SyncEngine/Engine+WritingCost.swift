package import SyncModel

// What it takes to write what changed in a room, in items of little content: some hundred
// nanoseconds each.
extension Engine {
    /// To find what a change comes to takes several times as long as to write an item.
    private static let costOfChange = 4
    private static let contentBytesPerItem = 64

    /// What it takes to write a batch from a revision to any later one: all that was touched since
    /// is looked at.
    ///
    /// - Parameter limit: beyond this it is not counted on.
    /// - Returns: 0 for a revision that is not within the horizon, from which there is no batch.
    ///
    /// # Performance
    /// O(k) for k changes, and for `limit` at most.
    package func writingCost(since revision: Revision, atMost limit: Int) -> Int {
        guard revision >= horizon, revision < self.revision else { return 0 }
        var cost = 0
        for entry in journal.entries(after: revision) {
            cost += Engine.costOfChange + contentBytes(of: entry) / Engine.contentBytesPerItem
            if cost > limit { break }
        }
        return cost
    }

    /// What it takes to look at the room as it was at a revision and to go on from there: all that
    /// was touched since is looked at. O(1); 0 for a revision that is not within the horizon.
    package func rewindingCost(to revision: Revision) -> Int {
        guard revision >= horizon, revision < self.revision else { return 0 }
        return Engine.costOfChange * journal.entries(after: revision).count
    }

    /// How much content a change may bring.
    private func contentBytes(of entry: Journal.Entry) -> Int {
        if let version = entry.version {
            let thing = versions[version].thing
            return thing == 0 ? 0 : blobs.size(things[thing].body)
        }
        guard let node = entry.node, !entry.isDeath else { return 0 }
        let thing = nodes[node].thing
        return thing == 0 ? 0 : blobs.size(things[thing].body)
    }
}
