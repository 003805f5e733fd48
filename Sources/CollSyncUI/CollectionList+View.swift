public import CollSync
public import Foundation
import SyncModel

extension CollectionList {
    /// Applies a change and shows it in a view: a snapshot by `reloadData`, a batch by one
    /// `performBatchUpdates` for each of its stages. The list applies a stage within that call.
    ///
    ///     for try await change in room.changes {
    ///         try list.apply(change, to: collectionView)
    ///     }
    ///
    /// The view's data source must answer from this list.
    ///
    /// - Throws: `badBatch`, as `apply(_:)`, before a stage is shown. The list is empty then, and
    ///   the view shows that.
    ///
    /// # Performance
    /// A batch is applied twice, first to a copy, since changes that a view has shown can't be
    /// rolled back.
    @MainActor
    public func apply(_ change: RoomChange, to view: some BatchUpdating) throws(CollectionError) {
        guard case .batch(let batch) = change else {
            try apply(change)
            return view.reloadData()
        }
        do throws(CollectionError) {
            try apply(batch) { stage, applyStage in
                view.performBatchUpdates(
                    {
                        applyStage()
                        view.show(stage)
                    }, completion: nil)
            }
        } catch {
            view.reloadData()
            throw error
        }
    }
}

extension BatchUpdating {
    /// Calls the view's methods for the changes of a stage. They are legal together in one update.
    fileprivate func show(_ stage: Stage) {
        let changed = Set(stage.changedSections.map(\.index))
        reloadSections(IndexSet(changed))
        // Reloading a section reloads its items, too.
        reloadItems(
            at: stage.reloads.map(\.path).filter { !changed.contains($0.section) }
                .map { IndexPath($0) })
        insertSections(IndexSet(stage.insertSections.map(\.index)))
        for move in stage.moveSections { moveSection(move.from, toSection: move.to) }
        deleteItems(at: stage.deletes.map { IndexPath($0) })
        insertItems(at: stage.inserts.map { IndexPath($0.path) })
        for move in stage.moves { moveItem(at: IndexPath(move.from), to: IndexPath(move.to)) }
        deleteSections(IndexSet(stage.deleteSections))
    }
}

extension IndexPath {
    /// Makes the path that collection views have for an item: the index of its section, then that
    /// of the item.
    public init(_ path: ItemPath) {
        self.init(indexes: [path.section, path.item])
    }
}

extension ItemPath {
    /// Makes the place that a collection view's path names; `nil` if the path does not have two
    /// indices.
    public init?(_ path: IndexPath) {
        guard path.count == 2 else { return nil }
        self.init(section: path[0], item: path[1])
    }
}
