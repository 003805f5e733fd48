import SyncModel

/// Which content of a room a request needs.
struct RevisionGoal: Hashable, Sendable {
    enum Form: Hashable, Sendable {
        case snapshot
        case batch
        case eachRevision
        /// Some items at the revision.
        case items(ItemQuery)
        /// The room's image after a record, which makes the revision.
        case image(behind: UInt64)

        /// Whether requests share the content. A history of each revision would be as slow as its
        /// slowest reader. Few ask for the same items, and comparing what they ask for takes time.
        var isShared: Bool {
            switch self {
            case .snapshot, .batch: true
            case .eachRevision, .items, .image: false
            }
        }
    }

    let from: Revision
    /// The last revision that it needs.
    let to: Revision
    let form: Form
}

extension RevisionGoal {
    /// The room at a revision.
    init(_ revision: Revision, _ form: Form) {
        self.init(from: revision, to: revision, form: form)
    }
}
