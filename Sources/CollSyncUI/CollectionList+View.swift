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
    /// The view's data source must answer from this list. An item whose content changed keeps its
    /// cell, which is configured anew. But another ``/SyncModel/Item/kind`` needs another cell. So
    /// such an item, and a section whose own content changed, is reloaded, and that stage has no
    /// animation.
    ///
    /// ``/CollSync/CollectionList/apply(_:show:)`` shows stages in other ways.
    ///
    /// - Parameters:
    ///   - change: the change to apply.
    ///   - view: the view to show it in.
    ///   - completion: called once when the view has shown all; `true` if nothing interrupted that.
    ///     It is not called if this throws.
    /// - Throws: `badBatch`, as `apply(_:)`, before a stage is shown. The list is empty then, and
    ///   the view shows that.
    ///
    /// # Performance
    /// A batch is applied twice, first to a copy, since changes that a view has shown can't be
    /// rolled back.
    @MainActor
    public func apply<View: BatchUpdating>(
        _ change: RoomChange, to view: View, completion: ((Bool) -> Void)? = nil
    ) throws(CollectionError) {
        guard case .batch(let batch) = change else {
            try apply(change)
            view.reloadData()
            completion?(true)
            return
        }
        let updates = ShownUpdates(completion)
        do throws(CollectionError) {
            try apply(batch) { stage, applyStage in
                let contents = StageContents(of: stage, before: self)
                if contents.changesPlaces {
                    view.performBatchUpdates(
                        {
                            applyStage()
                            view.showPlaces(of: stage)
                        }, completion: updates.begin())
                }
                if contents.isEmpty, contents.changesPlaces { return }
                let show = {
                    view.performBatchUpdates(
                        {
                            applyStage()
                            view.show(contents, in: self)
                        }, completion: updates.begin())
                }
                if contents.needsReload { View.performWithoutAnimation(show) } else { show() }
            }
        } catch {
            view.reloadData()
            throw error
        }
        updates.end()
    }
}

/// The contents that change in a stage.
private struct StageContents {
    /// The items that keep their cells.
    private(set) var reconfigured: [Stage.PlacedItem] = []
    /// The items that get other cells.
    private(set) var reloaded: [Stage.PlacedItem] = []
    let sections: [Stage.PlacedSection]
    /// Whether the stage changes places, too. Then these are looked up after it.
    let changesPlaces: Bool

    /// - Parameter list: the list before the stage.
    init(of stage: Stage, before list: CollectionList) {
        sections = stage.changedSections
        changesPlaces = stage.changesPlaces
        let changed = Set(sections.map(\.index))
        // Reloading a section reloads its items, too.
        for placed in stage.reloads where !changed.contains(placed.path.section) {
            if list[placed.path]?.kind == placed.item.kind {
                reconfigured.append(placed)
            } else {
                reloaded.append(placed)
            }
        }
    }

    var needsReload: Bool { !reloaded.isEmpty || !sections.isEmpty }
    var isEmpty: Bool { reconfigured.isEmpty && !needsReload }
}

/// The updates that a view is still showing.
@MainActor private final class ShownUpdates {
    private let completion: ((Bool) -> Void)?
    /// Those that have begun and not ended, and the batch itself.
    private var pending = 1
    private var isUninterrupted = true

    init(_ completion: ((Bool) -> Void)?) {
        self.completion = completion
    }

    /// Begins an update. Returns what its view is to call at its end; only the first call counts.
    func begin() -> (Bool) -> Void {
        pending += 1
        var isOver = false
        return { [self] isFinished in
            guard !isOver else { return }
            isOver = true
            isUninterrupted = isUninterrupted && isFinished
            end()
        }
    }

    /// Ends an update, or the batch.
    func end() {
        pending -= 1
        if pending == 0 { completion?(isUninterrupted) }
    }
}

extension Stage {
    /// Whether sections or items come, go or move.
    fileprivate var changesPlaces: Bool {
        !(insertSections.isEmpty && moveSections.isEmpty && deleteSections.isEmpty
            && deletes.isEmpty && inserts.isEmpty && moves.isEmpty)
    }
}

extension BatchUpdating {
    /// Calls the view's methods for what comes, goes and moves in a stage. The calls are legal
    /// together in one update.
    fileprivate func showPlaces(of stage: Stage) {
        insertSections(IndexSet(stage.insertSections.map(\.index)))
        for move in stage.moveSections { moveSection(move.from, toSection: move.to) }
        deleteItems(at: stage.deletes.map { IndexPath($0) })
        insertItems(at: stage.inserts.map { IndexPath($0.path) })
        for move in stage.moves { moveItem(at: IndexPath(move.from), to: IndexPath(move.to)) }
        deleteSections(IndexSet(stage.deleteSections))
    }

    /// Calls the view's methods for contents that changed in their places.
    fileprivate func show(_ contents: StageContents, in list: CollectionList) {
        func paths(_ items: [Stage.PlacedItem]) -> [IndexPath] {
            items.compactMap { placed in
                contents.changesPlaces ? list.path(of: placed.item.id) : placed.path
            }.map { IndexPath($0) }
        }
        let (reconfigured, reloaded) = (paths(contents.reconfigured), paths(contents.reloaded))
        if !reconfigured.isEmpty { reconfigureItems(at: reconfigured) }
        if !reloaded.isEmpty { reloadItems(at: reloaded) }
        let sections = IndexSet(
            contents.sections.compactMap { placed in
                contents.changesPlaces ? list.sectionIndex(of: placed.section.id) : placed.index
            })
        if !sections.isEmpty { reloadSections(sections) }
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
