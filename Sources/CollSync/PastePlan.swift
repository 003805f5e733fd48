import SyncClient
package import SyncModel

/// The operations that paste items at a place, one after the other.
///
/// Invariants:
/// 1. An item that is to be moved and still exists is moved. Every other item is inserted under a
///    new id.
/// 2. If somebody deletes an item before its move, the next attempt inserts it, and puts all items
///    after each other again. An item that is deleted after it was put stays deleted.
/// 3. If the server refuses a move since the item does not exist, the next attempt inserts the
///    item.
/// 4. No more attempts are refused than there are items: each refusal makes one of them an insert.
///    Besides these there are two at most, since an inserted item exists. A server that keeps
///    reporting losses ends the paste (``maximumCommits``).
package struct PastePlan {
    private struct Entry {
        let content: ItemContent
        /// The item's id, or the one under which it is inserted.
        var id: Identifier
        var exists: Bool
        /// Whether a commit has put it at the place.
        var isPut = false
    }

    /// The most attempts of one paste that are committed. Two are enough where a server follows the
    /// merge rules.
    package static let maximumCommits = 4

    private var entries: [Entry]
    private var commits = 0
    private let makeID: () -> Identifier

    /// - Parameter living: the ids of the items that are to be moved.
    package init(
        _ items: [Item], moving living: Set<Identifier>, makeID: @escaping () -> Identifier
    ) {
        self.makeID = makeID
        entries = items.map { item in
            let exists = living.contains(item.id)
            return Entry(content: item.content, id: exists ? item.id : makeID(), exists: exists)
        }
    }

    /// The ids of the pasted items.
    package var ids: [Identifier] { entries.map(\.id) }

    /// The operations of one attempt, for one transaction.
    ///
    /// - Parameter place: where the first item goes.
    package func operations(to place: Placement) -> [ListOperation] {
        var place = place
        return entries.map { entry in
            // After the item before, in whatever section that is by then.
            defer { place = Placement(position: .after(entry.id)) }
            return entry.exists
                ? .move(entry.id, to: place)
                : .insert(Item(id: entry.id, content: entry.content), to: place)
        }
    }

    /// Adapts the plan to a refused attempt.
    ///
    /// - Returns: whether another attempt may succeed.
    package mutating func note(_ refusal: Rejection?) -> Bool {
        guard let refusal, refusal.code == .unknownItem, let index = refusal.operation,
            entries.indices.contains(index), entries[index].exists, !entries[index].isPut
        else { return false }
        entries[index].exists = false
        entries[index].id = makeID()
        return true
    }

    /// Adapts the plan to a committed attempt, some operations of which may have lost.
    ///
    /// - Returns: whether another attempt is needed.
    /// - Throws: `badMessage` if it is needed after ``maximumCommits``.
    package mutating func note(_ commit: Commit) throws(CollectionError) -> Bool {
        commits += 1
        let lost = Set(commit.superseded.map(\.operation))
        entries = entries.enumerated().compactMap { index, entry in
            var entry = entry
            if !lost.contains(index) {
                (entry.exists, entry.isPut) = (true, true)
            } else if entry.isPut {
                return nil
            } else {
                (entry.exists, entry.id) = (false, makeID())
            }
            return entry
        }
        if entries.allSatisfy(\.isPut) { return false }
        guard commits < PastePlan.maximumCommits else {
            throw CollectionError(.broken(.badMessage, "items are lost each time they are pasted"))
        }
        return true
    }
}
