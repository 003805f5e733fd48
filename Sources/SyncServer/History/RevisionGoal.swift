import SyncEngine

/// What somebody is to be shown of a room.
struct RevisionGoal: Hashable, Sendable {
    enum Form: Hashable, Sendable {
        case snapshot
        case batch
        /// A batch for each revision.
        case eachRevision
        /// The room's image behind a record, which makes the revision.
        case image(behind: UInt64)
    }

    let from: Revision
    /// The last revision that it needs.
    let to: Revision
    let form: Form

    init(from: Revision, to: Revision, _ form: Form) {
        self.from = from
        self.to = to
        self.form = form
    }

    /// The room at a revision.
    init(_ revision: Revision, _ form: Form) {
        self.init(from: revision, to: revision, form)
    }
}
