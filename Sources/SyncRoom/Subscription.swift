import SyncEngine

/// What a member is sent of the room, and how far that has come.
struct Subscription {
    let everyRevision: Bool
    /// It is sent no batches.
    let viewOnly: Bool
    /// The least revision of a first snapshot: it has held more than an older one, and its bases must not
    /// go down.
    let leastSnapshot: Revision
    /// The revision that it was sent; `nil` if it needs a snapshot.
    var sent: Revision?
    /// The least revision that it may still make transactions from, as far as is known.
    var floor: Revision
    /// What it is being sent, where that takes several deliveries.
    var feed: Feed?
    /// Whether it is looked at in the next turn, see ``Composing``.
    var isInLine = false

    /// Where members stand that are to be sent the same.
    struct Standing: Hashable {
        /// `nil` for those who need a snapshot.
        var sent: Revision?
        var everyRevision: Bool
        /// No snapshot may be older.
        var leastSnapshot: Revision
    }

    var standing: Standing {
        Standing(
            sent: sent, everyRevision: everyRevision, leastSnapshot: sent ?? leastSnapshot)
    }

    /// Whether it is to be sent something to come to a revision.
    func lacks(_ revision: Revision) -> Bool {
        guard !viewOnly else { return false }
        guard let sent else { return true }
        return sent < revision
    }

    /// The client holds a revision: it makes no transactions from what is before.
    mutating func hold(_ revision: Revision) {
        guard let sent else { return }
        floor = max(floor, min(revision, sent))
    }
}
