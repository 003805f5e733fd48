import CollSync
import CollSyncUI
import Foundation

/// What is to be had without a connection: a list, and a view that shows it.
@main struct Core {
    @MainActor static func main() throws {
        let list = CollectionList()
        let view = View(list)
        let milk = try Item("milk", ["title": "Milk"])
        let main = try ListSection("main")
        let state = Snapshot.SectionState(section: main, items: [milk])
        try list.apply(.snapshot(Snapshot(revision: 1, sections: [state])), to: view)
        var stage = Stage()
        stage.inserts = [
            .init(path: ItemPath(section: 0, item: 0), item: try Item("eggs", ["title": "Eggs"]))
        ]
        let counts = [SectionCount(section: 0, items: 2)]
        let batch = Batch(from: 1, to: 2, stages: [stage], sections: 1, counts: counts)
        try list.apply(.batch(batch), to: view)
        print(list[0, 0]?["title"] ?? "gone", list.path(of: "milk").map { IndexPath($0) } as Any)
        print(view.told.joined(separator: ", "))
    }
}

/// Says what it is told.
@MainActor private final class View: BatchUpdating {
    private let list: CollectionList
    var told: [String] = []

    init(_ list: CollectionList) {
        self.list = list
    }

    func reloadData() { told.append("reload \(list.itemCount)") }

    func performBatchUpdates(_ updates: (() -> Void)?, completion: ((Bool) -> Void)?) {
        told.append("update \(list.itemCount)")
        updates?()
        told.append("done \(list.itemCount)")
        completion?(true)
    }

    func insertItems(at indexPaths: [IndexPath]) {
        if !indexPaths.isEmpty { told.append("insert \(indexPaths)") }
    }
    func insertSections(_ sections: IndexSet) {}
    func deleteSections(_ sections: IndexSet) {}
    func reloadSections(_ sections: IndexSet) {}
    func moveSection(_ section: Int, toSection newSection: Int) {}
    func deleteItems(at indexPaths: [IndexPath]) {}
    func reloadItems(at indexPaths: [IndexPath]) {}
    func moveItem(at indexPath: IndexPath, to newIndexPath: IndexPath) {}
}
