package import SyncModel

/// Puts the parts of a snapshot together, as they come on one channel.
package struct SnapshotAssembler: Sendable {
    private var snapshot: Snapshot?
    /// How many items have come, and how many the snapshot has.
    package private(set) var receivedItems: UInt64 = 0
    package private(set) var totalItems: UInt64 = 0

    package init() {}

    /// Whether no snapshot is incomplete.
    package var isIdle: Bool { snapshot == nil }

    /// Adds a part.
    ///
    /// - Returns: the snapshot, after its last part.
    /// - Throws: ``WireError/broken(_:_:)`` if the part does not follow the one before.
    package mutating func add(_ part: SnapshotPart) throws(WireError) -> Snapshot? {
        if part.isFirst {
            snapshot = Snapshot(revision: part.revision, sections: [])
            receivedItems = 0
            totalItems = part.totalItems
        }
        guard var snapshot, snapshot.revision == part.revision else { throw .misplacedPart }
        self.snapshot = nil
        for piece in part.pieces {
            if let section = piece.section {
                snapshot.sections.append(
                    Snapshot.SectionState(section: section, items: piece.items))
            } else {
                guard !snapshot.sections.isEmpty else { throw .misplacedPart }
                snapshot.sections[snapshot.sections.count - 1].items += piece.items
            }
            receivedItems += UInt64(piece.items.count)
        }
        if part.isLast { return snapshot }
        self.snapshot = snapshot
        return nil
    }
}

extension WireError {
    static let misplacedPart = WireError.broken(
        .badMessage, "a part does not follow the one before")
}
