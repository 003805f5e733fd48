import SyncClient
package import SyncModel

/// The operations that paste items at a place, one after the other.
///
/// Invariants:
/// 1. An item that is to be moved and still exists is moved, if it was not made anew since it was
///    cut. Every other item is inserted under a new id.
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
        /// Whether it is a copy because the room does not remember whether the cut item is still
        /// the same.
        var isLeftBehind = false
    }

    /// The most attempts of one paste that are committed. Two are enough where a server follows the
    /// merge rules.
    package static let maximumCommits = 4

    private var entries: [Entry]
    private var commits = 0
    private let revision: Revision?
    private let makeID: () -> Identifier

    /// - Parameters:
    ///   - living: the ids of the items that are to be moved.
    ///   - revision: the revision at which they were cut; `nil` if it is not known. Items that were
    ///     made anew since are others.
    package init(
        _ items: [Item], moving living: Set<Identifier>, cutAt revision: Revision? = nil,
        makeID: @escaping () -> Identifier
    ) {
        self.revision = revision
        self.makeID = makeID
        entries = items.map { item in
            let exists = living.contains(item.id)
            return Entry(content: item.content, id: exists ? item.id : makeID(), exists: exists)
        }
    }

    /// The ids of the pasted items.
    package var ids: [Identifier] { entries.map(\.id) }

    /// How many cut items may still be where they were, although they were pasted.
    package var leftBehindCount: Int { entries.count(where: \.isLeftBehind) }

    /// The operations of one attempt, for one transaction.
    ///
    /// - Parameter place: where the first item goes.
    package func operations(to place: Placement) -> [ListOperation] {
        var place = place
        return entries.map { entry in
            // After the item before, in whatever section that is by then.
            defer { place = Placement(position: .after(entry.id)) }
            guard entry.exists else {
                return .insert(Item(id: entry.id, content: entry.content), to: place)
            }
            let move = ListOperation.move(entry.id, to: place)
            // Once it is put, or without a revision, whatever has the id now is meant.
            guard let revision, !entry.isPut else { return move }
            return move.ifUnchanged(since: revision)
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
        var lost: [Int: Superseded] = [:]
        for loss in commit.superseded { lost[loss.operation] = loss }
        entries = entries.enumerated().compactMap { index, entry in
            var entry = entry
            let loss = lost[index]
            if loss == nil {
                (entry.exists, entry.isPut) = (true, true)
            } else if entry.isPut {
                return nil
            } else {
                (entry.exists, entry.id) = (false, makeID())
                entry.isLeftBehind = loss?.leavesBehind == true
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

extension Superseded {
    /// Whether the guarded item may still be there: it has other content, or the room does not
    /// remember what it was. If its life has changed, it is gone, or another item has its id.
    var leavesBehind: Bool {
        reason == .changed && !changed.isDisjoint(with: [.content, .horizon])
    }
}
