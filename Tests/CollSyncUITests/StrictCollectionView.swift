import CollSync
import CollSyncUI
import Foundation
import SyncModel

/// A stand-in for UIKit's collection view that complains wherever that one throws, and where it
/// would show something else than its data source has: it keeps the ids of its cells, and changes
/// them by what it is told alone.
@MainActor final class StrictCollectionView: BatchUpdating {
    /// What it asks.
    let list: CollectionList
    private(set) var cells: [[Identifier]] = []
    private(set) var complaints: [String] = []
    private(set) var updateCount = 0
    private(set) var reloadCount = 0
    private var update: Update?
    var keepsUpdates = false
    /// They retain the view until they are called.
    private var kept: [() -> Void] = []

    private struct Update {
        var insertedSections = IndexSet()
        var deletedSections = IndexSet()
        var reloadedSections = IndexSet()
        var movedSections: [(from: Int, to: Int)] = []
        var inserted: [IndexPath] = []
        var deleted: [IndexPath] = []
        var reloaded: [IndexPath] = []
        var moved: [(from: IndexPath, to: IndexPath)] = []
    }

    init(_ list: CollectionList) {
        self.list = list
    }

    private func complain(_ what: String) {
        complaints.append("update \(updateCount): \(what)")
    }

    private var counts: [Int] {
        (0..<list.sectionCount).map { list.itemCount(inSection: $0) }
    }

    /// Calls the kept updates again.
    func callKeptUpdates() {
        let updates = kept
        kept = []
        for update in updates { update() }
    }

    func reloadData() {
        reloadCount += 1
        cells = (0..<list.sectionCount).map { list.items(inSection: $0).map(\.id) }
    }

    func performBatchUpdates(_ updates: (() -> Void)?, completion: ((Bool) -> Void)?) {
        updateCount += 1
        if counts != cells.map(\.count) { complain("the data source changed before the update") }
        update = Update()
        updates?()
        if keepsUpdates, let updates { kept.append(updates) }
        let update = update ?? Update()
        self.update = nil
        checkSections(update)
        checkItems(update)
        if complaints.isEmpty { show(update) }
        completion?(true)
    }

    // MARK: What it is told

    private func note(_ change: (inout Update) -> Void) {
        guard var update else { return complain("told of something outside of an update") }
        change(&update)
        self.update = update
    }

    func insertSections(_ sections: IndexSet) { note { $0.insertedSections.formUnion(sections) } }
    func deleteSections(_ sections: IndexSet) { note { $0.deletedSections.formUnion(sections) } }
    func reloadSections(_ sections: IndexSet) { note { $0.reloadedSections.formUnion(sections) } }
    func moveSection(_ section: Int, toSection newSection: Int) {
        note { $0.movedSections.append((section, newSection)) }
    }
    func insertItems(at indexPaths: [IndexPath]) { note { $0.inserted += indexPaths } }
    func deleteItems(at indexPaths: [IndexPath]) { note { $0.deleted += indexPaths } }
    func reloadItems(at indexPaths: [IndexPath]) { note { $0.reloaded += indexPaths } }
    func moveItem(at indexPath: IndexPath, to newIndexPath: IndexPath) {
        note { $0.moved.append((indexPath, newIndexPath)) }
    }

    // MARK: What is legal

    private func checkSections(_ update: Update) {
        let sources =
            Array(update.deletedSections) + update.movedSections.map(\.from)
            + Array(update.reloadedSections)
        let targets = Array(update.insertedSections) + update.movedSections.map(\.to)
        if Set(sources).count != sources.count {
            complain("a section goes, moves or reloads twice")
        }
        if Set(targets).count != targets.count { complain("two sections come to one place") }
        if sources.contains(where: { !cells.indices.contains($0) }) { complain("no such section") }
        let after = counts.count
        if targets.contains(where: { !(0..<after).contains($0) }) { complain("no such place") }
        if cells.count - update.deletedSections.count + update.insertedSections.count != after {
            complain("the number of sections does not come out")
        }
    }

    private func checkItems(_ update: Update) {
        let sources = update.deleted + update.moved.map(\.from) + update.reloaded
        let targets = update.inserted + update.moved.map(\.to)
        if Set(sources).count != sources.count { complain("an item goes, moves or reloads twice") }
        if Set(targets).count != targets.count { complain("two items come to one place") }
        for path in sources {
            if !cells.indices.contains(path[0]) || !cells[path[0]].indices.contains(path[1]) {
                complain("no item at \(path)")
            }
            if update.deletedSections.contains(path[0]) || update.reloadedSections.contains(path[0])
            {
                complain("an item of a section that goes or is shown anew: \(path)")
            }
        }
        let after = counts
        for path in targets {
            if !after.indices.contains(path[0]) || !(0..<after[path[0]]).contains(path[1]) {
                complain("no place \(path)")
            }
            if update.insertedSections.contains(path[0]) {
                complain("an item comes to a section that comes: \(path)")
            }
        }
    }

    // MARK: What it shows then

    private func show(_ update: Update) {
        var columns: [[Identifier?]] = cells.map { $0.map { $0 } }
        let movedItems = update.moved.map { columns[$0.from[0]][$0.from[1]] }
        for path in update.deleted + update.moved.map(\.from) { columns[path[0]][path[1]] = nil }
        let movedSections = update.movedSections.map { columns[$0.from] }
        let gone = update.deletedSections.union(IndexSet(update.movedSections.map(\.from)))
        var kept = columns.enumerated().filter { !gone.contains($0.offset) }.map(\.element)
        var comes = update.insertedSections.map { index in
            (index, list.items(inSection: index).map { Optional($0.id) })
        }
        comes += zip(update.movedSections, movedSections).map { ($0.to, $1) }
        for (index, column) in comes.sorted(by: { $0.0 < $1.0 }) { kept.insert(column, at: index) }
        var shown = kept.map { $0.compactMap { $0 } }
        var arrivals = update.inserted.map { path in
            (path, list[path[0], path[1]]?.id)
        }
        arrivals += zip(update.moved, movedItems).map { ($0.to, $1) }
        for (path, id) in arrivals.sorted(by: { $0.0 < $1.0 }) {
            guard let id, path[1] <= shown[path[0]].count else {
                return complain("a gap at \(path)")
            }
            shown[path[0]].insert(id, at: path[1])
        }
        cells = shown
        if cells != (0..<list.sectionCount).map({ list.items(inSection: $0).map(\.id) }) {
            complain("it shows something else than there is")
        }
    }
}
