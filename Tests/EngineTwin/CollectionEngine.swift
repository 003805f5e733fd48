package import SyncModel

/// What the engine and its twin have in common, so that one harness plays both.
package protocol CollectionEngine: AnyObject {
    /// Makes a new room.
    init()

    /// How many transactions the room has accepted.
    var revision: Revision { get }
    /// Up to which revision dead nodes are forgotten.
    var horizon: Revision { get }

    /// Announces a transaction that may be submitted. It must change no result.
    func readAhead(_ transaction: ListTransaction)
    /// Applies a transaction or refuses it.
    func submit(_ transaction: ListTransaction, by author: Identifier) throws(Rejection) -> Commit
    /// Forgets the nodes that were dead at `revision`.
    func advanceHorizon(to revision: Revision)
    /// The room now.
    func snapshot() -> Snapshot
    /// The room as it was, within the horizon.
    func snapshot(at revision: Revision) -> Snapshot?
    /// What takes a client from one revision to another, within the horizon.
    func batch(from: Revision, to: Revision) -> Batch?
    /// Where an item is now.
    func path(ofItem id: Identifier) -> ItemPath?
    /// Which item is at a place now.
    func item(at path: ItemPath) -> Item?
    /// Where some items are now.
    func paths(ofItems ids: [Identifier]) -> [ItemPath?]
    /// Which items are at some places now.
    func items(at paths: [ItemPath]) -> [Item?]
    /// The room as it is read from its own image.
    func reloaded() throws -> Self
    /// Traps if an invariant does not hold.
    func checkInvariants()
}

extension CollectionEngine {
    package func readAhead(_ transaction: ListTransaction) {}

    package func paths(ofItems ids: [Identifier]) -> [ItemPath?] { ids.map { path(ofItem: $0) } }

    package func items(at paths: [ItemPath]) -> [Item?] { paths.map { item(at: $0) } }
}
