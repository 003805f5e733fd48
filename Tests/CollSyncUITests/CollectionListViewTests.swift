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
                try list.apply(.batch(batch), to: view)
                #expect(view.updateCount == updates + batch.stages.count)
            } else {
                try list.apply(.snapshot(twin.snapshot()), to: view)
            }
            #expect(view.complaints == [], "seed \(seed)")
            #expect(list.snapshot == twin.snapshot(), "seed \(seed)")
        }
        #expect(view.updateCount > 20, "seed \(seed) makes too few updates to prove anything")
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
