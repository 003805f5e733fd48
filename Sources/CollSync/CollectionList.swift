import SyncClient
public import SyncModel

/// A room as an app shows it: sections of items, in order, at the revision of the change that was applied last.
///
///     let list = CollectionList()
///     for try await change in room.changes {
///         try list.apply(change)
///         print(list["milk"]?["title"] ?? "gone", list.path(of: "milk") as Any)
///     }
///
/// It is what one reader of ``CollectionRoom/changes`` has come to, and not the newest that the client knows: so what
/// is read from it while a change is handled is what that change led to. It is a class, since a view asks its data source
/// while the list is changed (`CollSyncUI`), and is used by one task, or on the main actor.
///
/// Invariants:
/// 1. With a revision, it is exactly the room at that revision.
/// 2. Nothing that it is asked for traps: what is not there is `nil`, or none.
/// 3. A batch that does not fit is an error; the list then is empty until a snapshot comes.
///
/// # Performance
/// For n items in s sections: by index O(√n) at most, in practice a few cache lines; by id O(s + √n), but O(n) for the
/// first id after a snapshot; a batch of k changes O(k √n), and never more than O(n + k log k).
public final class CollectionList {
    private var replica = Replica()

    /// Makes a list that holds nothing.
    public init() {}

    /// Makes a list of what a snapshot says.
    public init(_ snapshot: Snapshot) {
        replica.load(snapshot)
    }

    // MARK: Changing

    /// Takes in what came.
    ///
    /// - Throws: `badBatch`, if it is a batch that does not begin where the list is. The list is empty then.
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

    /// Takes in a batch stage by stage, for views that are to be told of each.
    ///
    /// - Parameter show: called once for each stage, in order; within that the list takes the stage when the second
    ///   argument is called, or else behind it.
    /// - Throws: as ``apply(_:)``, before the first stage is shown.
    package func apply(
        _ batch: Batch, show: (Stage, _ take: @escaping () -> Void) -> Void
    ) throws(CollectionError) {
        // Whoever shows a stage can't take it back, so all are tried first, on a copy that needs to find nothing.
        var trial = replica
        trial.forgetPlaces()
        do throws(ReplicaError) {
            try trial.apply(batch)
        } catch {
            replica = Replica()
            throw CollectionError(.batchDoesNotFit(error))
        }
        for stage in batch.stages {
            var isTaken = false
            let take = { [self] in
                guard !isTaken else { return }
                isTaken = true
                replica.take(tried: stage)
            }
            show(stage, take)
            take()
        }
        replica.finish(batch)
    }

    // MARK: Reading

    /// The revision that it holds; `nil` before the first snapshot, and behind a batch that did not fit.
    public var revision: Revision? { replica.revision }

    /// How many sections there are.
    public var sectionCount: Int { replica.sectionCount }

    /// How many items there are in all sections. O(s).
    public var itemCount: Int { replica.itemCount }

    /// How many items a section has; none if there is no section of that index.
    public func itemCount(inSection index: Int) -> Int { replica.itemCount(inSection: index) }

    /// The item at a place.
    public subscript(path: ItemPath) -> Item? { replica.item(at: path) }

    /// The item of that index in the section of that index.
    public subscript(section: Int, item: Int) -> Item? {
        replica.item(at: ItemPath(section: section, item: item))
    }

    /// The item of that id.
    public subscript(id: Identifier) -> Item? {
        replica.path(of: id).flatMap { replica.item(at: $0) }
    }

    /// Where the item of that id is.
    public func path(of id: Identifier) -> ItemPath? { replica.path(of: id) }

    /// The section of that index, without its items.
    public func section(at index: Int) -> ListSection? { replica.section(at: index) }

    /// The index of the section of that id. O(s).
    public func sectionIndex(of id: Identifier) -> Int? { replica.sectionIndex(of: id) }

    /// The items of a section, in order; none if there is no section of that index. O(n).
    public func items(inSection index: Int) -> [Item] { replica.items(inSection: index) }

    /// The items of a section, in order; none if there is no section of that id. O(n).
    public func items(in section: Identifier) -> [Item] {
        replica.sectionIndex(of: section).map { replica.items(inSection: $0) } ?? []
    }

    /// All of it, or `nil` without a revision. O(n).
    public var snapshot: Snapshot? { replica.snapshot }
}
