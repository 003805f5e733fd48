import SyncClient
public import SyncModel

/// A room as an app shows it: sections of items, in order, at the revision of the last applied
/// change.
///
///     let list = CollectionList()
///     for try await change in room.changes {
///         try list.apply(change)
///         print(list["milk"]?["title"] ?? "gone", list.path(of: "milk") as Any)
///     }
///
/// It has what one reader of ``CollectionRoom/changes`` has applied, even if the client has newer
/// content. So while an app handles a change, the list is the result of that change. It is a class,
/// since a view asks its data source while the list changes (`CollSyncUI`). Use it from one task
/// only, or from the main actor.
///
/// Invariants:
/// 1. With a revision, it is exactly the room at that revision.
/// 2. Indices count from 0. No index and no id traps: what is not there is `nil`, or empty.
/// 3. A batch that does not fit is an error; the list then is empty until a snapshot comes.
///
/// # Performance
/// For n items in s sections: by index O(√n) at most, in practice a few cache lines; by id O(s +
/// √n), but O(n) for the first id after a snapshot; a batch of k changes O(k √n), and never more
/// than O(n + k log k).
public final class CollectionList {
    private var replica = Replica()

    /// Makes an empty list without a revision.
    public init() {}

    /// Makes a list of a snapshot's content. O(n).
    public init(_ snapshot: Snapshot) {
        replica.load(snapshot)
    }

    // MARK: Changing

    /// Applies a change.
    ///
    /// - Throws: `badBatch`, if it is a batch that does not begin at the list's revision, or does
    ///   not fit its content. The list is empty then, until the next snapshot.
    public func apply(_ change: RoomChange) throws(CollectionError) {
        switch change {
        case .snapshot(let snapshot): replica.load(snapshot)
        case .batch(let batch): try apply(batch)
        }
    }

    private func apply(_ batch: Batch) throws(CollectionError) {
        do throws(ReplicaError) {
            try replica.apply(batch)
        } catch {
            throw CollectionError(.batchDoesNotFit(error))
        }
    }

    /// Applies a batch stage by stage, for views that show each stage. (`CollSyncUI` does so for
    /// collection views.)
    ///
    ///     try list.apply(batch) { stage, applyStage in
    ///         view.performBatchUpdates(
    ///             {
    ///                 applyStage()
    ///                 view.deleteItems(at: stage.deletes.map { IndexPath($0) })
    ///             }, completion: nil)
    ///     }
    ///
    /// - Parameters:
    ///   - batch: the batch to apply.
    ///   - show: called once for each stage, in order. The list applies the stage when `show` calls
    ///     its second argument, or else after `show` returns. Later calls do nothing.
    /// - Throws: as ``apply(_:)``, before the first stage is shown.
    public func apply(
        _ batch: Batch, show: (Stage, _ applyStage: @escaping () -> Void) -> Void
    ) throws(CollectionError) {
        // A stage that was shown can't be rolled back, so a copy applies all of them first. The
        // copy looks up no ids and needs no places.
        var trial = replica
        trial.forgetPlaces()
        do throws(ReplicaError) {
            try trial.apply(batch)
        } catch {
            replica = Replica()
            throw CollectionError(.batchDoesNotFit(error))
        }
        for stage in batch.stages {
            var isApplied = false
            let applyStage = { [self] in
                guard !isApplied else { return }
                isApplied = true
                replica.apply(tried: stage)
            }
            show(stage, applyStage)
            applyStage()
        }
        replica.finish(batch)
    }

    // MARK: Reading

    /// The list's revision; `nil` before the first snapshot, and after a batch that did not fit.
    public var revision: Revision? { replica.revision }

    /// The number of sections.
    public var sectionCount: Int { replica.sectionCount }

    /// The number of items in all sections. O(s).
    public var itemCount: Int { replica.itemCount }

    /// The number of items in the section at an index; 0 if there is no such section.
    public func itemCount(inSection index: Int) -> Int { replica.itemCount(inSection: index) }

    /// The item at a path; `nil` if there is none.
    public subscript(path: ItemPath) -> Item? { replica.item(at: path) }

    /// The item at an index of the section at an index; `nil` if there is none.
    public subscript(section: Int, item: Int) -> Item? {
        replica.item(at: ItemPath(section: section, item: item))
    }

    /// The item with an id; `nil` if there is none.
    public subscript(id: Identifier) -> Item? {
        replica.path(of: id).flatMap { replica.item(at: $0) }
    }

    /// The path of the item with an id; `nil` if there is none.
    public func path(of id: Identifier) -> ItemPath? { replica.path(of: id) }

    /// The section at an index, without its items; `nil` if there is none.
    public func section(at index: Int) -> ListSection? { replica.section(at: index) }

    /// The index of the section with an id; `nil` if there is none. O(s).
    public func sectionIndex(of id: Identifier) -> Int? { replica.sectionIndex(of: id) }

    /// The items of the section at an index, in order; empty if there is no such section. O(n).
    public func items(inSection index: Int) -> [Item] { replica.items(inSection: index) }

    /// The items of the section with an id, in order; empty if there is no such section. O(n).
    public func items(in section: Identifier) -> [Item] {
        replica.sectionIndex(of: section).map { replica.items(inSection: $0) } ?? []
    }

    /// The whole content; `nil` without a revision. O(n).
    public var snapshot: Snapshot? { replica.snapshot }
}
