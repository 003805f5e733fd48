import CollSync
import CollSyncUI
import EngineTwin
import Foundation
import SeededRandom
import SyncModel
import Testing

@MainActor @Suite struct CollectionListViewTests {
    /// A view that is told of every so many revisions of a random history is always told what is
    /// legal, and shows what there is.
    @Test(arguments: 0..<12) func viewsGetLegalUpdatesOnly(seed: UInt64) throws {
        var generator = HistoryGenerator(seed: seed)
        var random = SplitMix64(seed: seed &+ 1)
        let twin = Twin()
        let list = CollectionList()
        let view = StrictCollectionView(list)
        try list.apply(.snapshot(twin.snapshot()), to: view)
        for _ in 0..<400 {
            twin.play(generator.next(twin))
            guard let held = list.revision, twin.revision > held, random.chance(30) else {
                continue
            }
            if let batch = twin.batch(from: held, to: twin.revision) {
                let updates = view.updateCount
                var shown: [Bool] = []
                try list.apply(.batch(batch), to: view) { shown.append($0) }
                #expect(view.updateCount == updates + batch.stages.count)
                #expect(shown == [true])
            } else {
                try list.apply(.snapshot(twin.snapshot()), to: view)
            }
            #expect(view.complaints == [], "seed \(seed)")
            #expect(list.snapshot == twin.snapshot(), "seed \(seed)")
            #expect(view.items == twin.snapshot().sections.map(\.items), "seed \(seed)")
        }
        #expect(view.replacedCells > 0 && view.reconfiguredCells > 0, "seed \(seed)")
        #expect(view.updateCount > 20, "seed \(seed) makes too few updates to prove anything")
    }

    private static let milk = ItemPath(section: 0, item: 0)

    /// A view of a section with two items, of which the first has a kind.
    private func view() throws -> StrictCollectionView {
        let list = CollectionList()
        let view = StrictCollectionView(list)
        let items = [try Item("milk", kind: "plain"), try Item("eggs")]
        let main = Snapshot.SectionState(section: try ListSection("main"), items: items)
        try list.apply(.snapshot(Snapshot(revision: 1, sections: [main])), to: view)
        return view
    }

    private func batch(_ stages: [Stage], sections: Int = 1) -> RoomChange {
        .batch(Batch(from: 1, to: 2, stages: stages, sections: sections, counts: []))
    }

    /// An item of the same kind keeps its cell. One of another kind, and a section whose own
    /// content changed, come without animation.
    @Test func cellsAreKeptWhereTheirKindIs() throws {
        var stage = Stage()
        stage.reloads = [
            .init(path: Self.milk, item: try Item("milk", ["done": true], kind: "plain"))
        ]
        let kept = try view()
        try kept.list.apply(batch([stage]), to: kept)
        #expect(kept.reconfiguredCells == 1 && kept.replacedCells == 0)
        #expect(kept.suddenUpdates == 0 && kept.updateCount == 1)
        #expect(kept.items[0][0]["done"] == true)

        stage.reloads[0].item = try Item("milk", kind: "fancy")
        let eggs = ItemPath(section: 0, item: 1)
        stage.reloads.append(.init(path: eggs, item: try Item("eggs", ["n": 12])))
        let replaced = try view()
        try replaced.list.apply(batch([stage]), to: replaced)
        #expect(replaced.reconfiguredCells == 1 && replaced.replacedCells == 1)
        #expect(replaced.suddenUpdates == 1 && replaced.updateCount == 1)

        stage.changedSections = [.init(index: 0, section: try ListSection("main", ["a": 1]))]
        let section = try view()
        try section.list.apply(batch([stage]), to: section)
        #expect(section.reconfiguredCells == 0 && section.replacedCells == 2)
        #expect(section.suddenUpdates == 1 && section.updateCount == 1)
        for view in [kept, replaced, section] { #expect(view.complaints == []) }
    }

    /// A stage may change both places and contents, though a server's stages do not.
    @Test func contentsFollowTheirItems() throws {
        var stage = Stage()
        stage.reloads = [.init(path: Self.milk, item: try Item("milk", ["n": 2], kind: "plain"))]
        stage.inserts = [.init(path: Self.milk, item: try Item("bread"))]
        stage.insertSections = [.init(index: 0, section: try ListSection("new"))]
        let view = try view()
        stage.inserts[0].path.section = 1
        try view.list.apply(batch([stage], sections: 2), to: view)
        #expect(view.complaints == [])
        #expect(view.cells == [[], ["bread", "milk", "eggs"]])
        #expect(view.items[1][1]["n"] == 2 && view.updateCount == 2)
    }

    /// The completion comes once, when the view has shown the last stage.
    @Test(arguments: [true, false]) func theCompletionComesAtTheEnd(isFinished: Bool) throws {
        var (first, second) = (Stage(), Stage())
        first.reloads = [.init(path: Self.milk, item: try Item("milk", kind: "fancy"))]
        second.deletes = [ItemPath(section: 0, item: 1)]
        let view = try view()
        view.isAnimating = true
        var shown: [Bool] = []
        try view.list.apply(batch([first, second]), to: view) { shown.append($0) }
        #expect(shown == [] && view.cells == [["milk"]])
        view.endUpdates(isFinished)
        #expect(shown == [isFinished])
        let snapshot = try #require(view.list.snapshot)
        try view.list.apply(.snapshot(snapshot), to: view) { shown.append($0) }
        #expect(shown == [isFinished, true])
        try view.list.apply(
            .batch(Batch(from: 2, to: 3, stages: [], sections: 1)), to: view
        ) { shown.append($0) }
        #expect(shown == [isFinished, true, true])
        #expect(throws: CollectionError.self) {
            try view.list.apply(.batch(Batch(from: 9, to: 10, sections: 1)), to: view) {
                shown.append($0)
            }
        }
        #expect(shown.count == 3)
    }

    /// A view without its own methods for what came to UIKit later is still one.
    @Test func olderViewsReload() throws {
        let list = CollectionList()
        let view = OlderCollectionView()
        let main = Snapshot.SectionState(section: try ListSection("main"), items: [try Item("a")])
        try list.apply(.snapshot(Snapshot(revision: 1, sections: [main])), to: view)
        var stage = Stage()
        stage.reloads = [.init(path: Self.milk, item: try Item("a", ["n": 1]))]
        try list.apply(batch([stage]), to: view)
        #expect(view.reloaded == [IndexPath(indexes: [0, 0])])
    }

    /// An app may show stages in its own way.
    @Test func stagesAreAppliedOneByOne() throws {
        let list = try view().list
        var (first, second) = (Stage(), Stage())
        first.deletes = [Self.milk]
        second.deletes = [Self.milk]
        let given = Batch(from: 1, to: 2, stages: [first, second], sections: 1)
        var counts: [Int] = []
        try list.apply(given) { stage, applyStage in
            #expect(stage.deletes == [Self.milk])
            counts.append(list.itemCount)
            if counts.count == 1 { applyStage() }
            counts.append(list.itemCount)
            applyStage()
        }
        #expect(counts == [2, 1, 1, 1])
        #expect(list.itemCount == 0 && list.revision == 2)
    }

    /// A batch that does not fit is an error before the view hears of it; list and view are empty
    /// then.
    @Test func aBatchThatDoesNotFitEmptiesBoth() throws {
        let list = CollectionList()
        let view = StrictCollectionView(list)
        let section = try ListSection("main")
        let milk = try Item("milk")
        try list.apply(
            .snapshot(
                Snapshot(revision: 3, sections: [.init(section: section, items: [milk])])), to: view
        )
        var stage = Stage()
        stage.deletes = [ItemPath(section: 0, item: 0)]
        var other = Stage()
        other.deletes = [ItemPath(section: 0, item: 7)]
        let batch = Batch(from: 3, to: 4, stages: [stage, other], sections: 1, counts: [])
        #expect(throws: CollectionError.self) { try list.apply(.batch(batch), to: view) }
        #expect(view.updateCount == 0)
        #expect(view.cells == [])
        #expect(list.revision == nil)
        #expect(view.complaints == [])
    }

    /// A view that keeps its updates and calls them again later changes nothing.
    @Test func updatesThatAreCalledLateChangeNothing() throws {
        let list = CollectionList()
        let view = StrictCollectionView(list)
        view.keepsUpdates = true
        let main = Snapshot.SectionState(section: try ListSection("main"), items: [])
        try list.apply(.snapshot(Snapshot(revision: 1, sections: [main])), to: view)
        var stage = Stage()
        stage.inserts = [.init(path: ItemPath(section: 0, item: 0), item: try Item("milk"))]
        let counts = [SectionCount(section: 0, items: 1)]
        try list.apply(
            .batch(Batch(from: 1, to: 2, stages: [stage], sections: 1, counts: counts)), to: view)
        view.callKeptUpdates()
        #expect(list.itemCount == 1)
        #expect(list.revision == 2)
    }

    /// The stand-in is strict: it complains of a list that changes behind its back, and of what
    /// does not come out.
    @Test func theStandInComplains() throws {
        let list = CollectionList()
        let view = StrictCollectionView(list)
        let state = Snapshot.SectionState(
            section: try ListSection("main"), items: [try Item("milk")])
        try list.apply(.snapshot(Snapshot(revision: 1, sections: [state])), to: view)
        view.performBatchUpdates(
            { view.deleteItems(at: [IndexPath(indexes: [0, 0])]) }, completion: nil)
        #expect(view.complaints == ["update 1: it shows something else than there is"])
        let other = StrictCollectionView(list)
        other.performBatchUpdates(nil, completion: nil)
        #expect(other.complaints.first == "update 1: the data source changed before the update")
    }

    @Test func pathsAreThoseOfCollectionViews() {
        let path = ItemPath(section: 2, item: 5)
        #expect(IndexPath(path) == IndexPath(indexes: [2, 5]))
        #expect(ItemPath(IndexPath(path)) == path)
        #expect(ItemPath(IndexPath(indexes: [1])) == nil)
        #expect(ItemPath(IndexPath(indexes: [1, 2, 3])) == nil)
    }
}

/// A view that has only what UIKit's had in its first ten years.
@MainActor private final class OlderCollectionView {
    private(set) var reloaded: [IndexPath] = []

    func reloadData() {}
    func performBatchUpdates(_ updates: (() -> Void)?, completion: ((Bool) -> Void)?) {
        updates?()
        completion?(true)
    }
    func insertSections(_ sections: IndexSet) {}
    func deleteSections(_ sections: IndexSet) {}
    func reloadSections(_ sections: IndexSet) {}
    func moveSection(_ section: Int, toSection newSection: Int) {}
    func insertItems(at indexPaths: [IndexPath]) {}
    func deleteItems(at indexPaths: [IndexPath]) {}
    func reloadItems(at indexPaths: [IndexPath]) { reloaded += indexPaths }
    func moveItem(at indexPath: IndexPath, to newIndexPath: IndexPath) {}
}

extension OlderCollectionView: BatchUpdating {}
