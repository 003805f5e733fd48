package import SyncModel

// The cost of writing what changed in a room. The unit is an item of little content: some hundred
// nanoseconds.
extension Engine {
    /// Computing a change takes several times as long as writing an item.
    private static let costOfChange = 4
    private static let contentBytesPerItem = 64

    /// The cost of writing a batch from a revision to any later one. Everything that was touched
    /// since is visited.
    ///
    /// - Parameter limit: counting stops above this.
    /// - Returns: 0 for a revision from which there is no batch: it is below the horizon, or
    ///   nothing came after it.
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

    /// The cost of viewing the room as it was at a revision and going on from there. Everything
    /// that was touched since is visited. O(1); 0 for a revision below the horizon.
    package func rewindingCost(to revision: Revision) -> Int {
        guard revision >= horizon, revision < self.revision else { return 0 }
        return Engine.costOfChange * journal.entries(after: revision).count
    }

    /// How many bytes of content a change may have.
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
