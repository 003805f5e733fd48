package import SyncModel

/// The operations that put items somewhere, each behind the one before.
///
/// Invariants:
/// 1. An item that is to be moved and lives is moved; every other is inserted, under an id that
///    nobody else has made.
/// 2. If somebody deletes an item before it is moved, it is not lost: it is inserted at the next
///    attempt, which puts all behind each other once more. What is deleted where it was put is
///    gone.
/// 3. So is one that turns out not to be there, at the next attempt.
/// 4. So there are two attempts at most, but for those: what is inserted is there.
package struct PastePlan {
    private struct Entry {
        let content: ItemContent
        /// The item's id, or the one under which it is inserted.
        var id: Identifier
        var lives: Bool
        /// Whether it has been put where it is wanted.
        var isPut = false
    }

    private var entries: [Entry]
    private let makeID: () -> Identifier

    /// - Parameter living: the items that are moved.
    package init(
        _ items: [Item], moving living: Set<Identifier>, makeID: @escaping () -> Identifier
    ) {
        self.makeID = makeID
        entries = items.map { item in
            let lives = living.contains(item.id)
            return Entry(content: item.content, id: lives ? item.id : makeID(), lives: lives)
        }
    }

    /// The items' ids where they are put.
    package var ids: [Identifier] { entries.map(\.id) }

    /// One transaction.
    ///
    /// - Parameter place: where the first item goes.
    package func operations(to place: Placement) -> [ListOperation] {
        var place = place
        return entries.map { entry in
            // Beside the one before, in whatever section that is.
            defer { place = Placement(position: .after(entry.id)) }
            return entry.lives
                ? .move(entry.id, to: place)
                : .insert(Item(id: entry.id, content: entry.content), to: place)
        }
    }

    /// Takes note of why nothing came of the operations.
    ///
    /// - Returns: whether another attempt may be taken.
    package mutating func note(_ refusal: Rejection?) -> Bool {
        guard let refusal, refusal.code == .unknownItem, let index = refusal.operation,
            entries.indices.contains(index), entries[index].lives, !entries[index].isPut
        else { return false }
        entries[index].lives = false
        entries[index].id = makeID()
        return true
    }

    /// Takes note of what came of the operations.
    ///
    /// - Returns: whether another attempt is needed.
    package mutating func note(_ commit: Commit) -> Bool {
        let lost = Set(commit.superseded.map(\.operation))
        entries = entries.enumerated().compactMap { index, entry in
            var entry = entry
            if !lost.contains(index) {
                (entry.lives, entry.isPut) = (true, true)
            } else if entry.isPut {
                return nil
            } else {
                (entry.lives, entry.id) = (false, makeID())
            }
            return entry
        }
        return !entries.allSatisfy(\.isPut)
    }
}
