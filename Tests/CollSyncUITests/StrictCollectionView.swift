import CollSync
import CollSyncUI
import Foundation
import SyncModel

/// A stand-in for UIKit's collection view that complains wherever that one throws, and where it
/// would show something else than its data source has: it keeps its cells, and changes them by what
/// it is told alone. Its methods are those of UIKit's, word for word.
@MainActor final class StrictCollectionView {
    /// What it asks.
    let list: CollectionList
    private var shown: [[Cell]] = []
    private(set) var complaints: [String] = []
    private(set) var updateCount = 0
    private(set) var reloadCount = 0
    /// How many items were given other cells, and how many kept theirs with other content.
    private(set) var replacedCells = 0
    private(set) var reconfiguredCells = 0
    /// How many updates were shown without animation.
    private(set) var suddenUpdates = 0
    private var update: Update?
    var keepsUpdates = false
    /// They retain the view until they are called.
    private var kept: [() -> Void] = []
    /// Whether it ends its updates only when ``endUpdates(_:)`` says so.
    var isAnimating = false
    private var completions: [(Bool) -> Void] = []
    private static var isAnimated = true

    /// A cell, which was made for a kind.
    private struct Cell {
        let kind: Identifier?
        var item: Item

        init(_ item: Item) {
            kind = item.kind
            self.item = item
        }
    }

    /// The items that its cells show.
    var items: [[Item]] { shown.map { $0.map(\.item) } }
    var cells: [[Identifier]] { shown.map { $0.map(\.item.id) } }

    private struct Update {
        var insertedSections = IndexSet()
        var deletedSections = IndexSet()
        var reloadedSections = IndexSet()
        var movedSections: [(from: Int, to: Int)] = []
        var inserted: [IndexPath] = []
        var deleted: [IndexPath] = []
        var reloaded: [IndexPath] = []
        var reconfigured: [IndexPath] = []
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
        shown = (0..<list.sectionCount).map { list.items(inSection: $0).map { Cell($0) } }
    }

    /// Ends all updates that are still shown.
    func endUpdates(_ isFinished: Bool) {
        let ended = completions
        completions = []
        for completion in ended { completion(isFinished) }
    }

    class func performWithoutAnimation(_ actionsWithoutAnimation: () -> Void) {
        isAnimated = false
        actionsWithoutAnimation()
        isAnimated = true
    }

    func performBatchUpdates(_ updates: (() -> Void)?, completion: ((Bool) -> Void)? = nil) {
        updateCount += 1
        if !StrictCollectionView.isAnimated { suddenUpdates += 1 }
        if counts != cells.map(\.count) { complain("the data source changed before the update") }
        update = Update()
        updates?()
        if keepsUpdates, let updates { kept.append(updates) }
        let update = update ?? Update()
        self.update = nil
        checkSections(update)
        checkItems(update)
        checkContents(update)
        if complaints.isEmpty { show(update) }
        guard let completion else { return }
        if isAnimating { completions.append(completion) } else { completion(true) }
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
    func reconfigureItems(at indexPaths: [IndexPath]) { note { $0.reconfigured += indexPaths } }
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
        let sources =
            update.deleted + update.moved.map(\.from) + update.reloaded + update.reconfigured
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

    /// Contents change while nothing else does, so that paths mean the same before and after. Cells
    /// are replaced without animation, and only if they have to be.
    private func checkContents(_ update: Update) {
        let isReloaded = !update.reloaded.isEmpty || !update.reloadedSections.isEmpty
        guard isReloaded || !update.reconfigured.isEmpty else { return }
        if !update.insertedSections.isEmpty || !update.deletedSections.isEmpty
            || !update.movedSections.isEmpty || !update.inserted.isEmpty || !update.deleted.isEmpty
            || !update.moved.isEmpty
        {
            complain("contents change while places do")
        }
        if isReloaded, StrictCollectionView.isAnimated { complain("a cell is replaced slowly") }
        for path in update.reconfigured where !fits(path) {
            complain("a cell is kept for another kind")
        }
        for path in update.reloaded where fits(path) {
            complain("a cell is replaced that could be kept")
        }
    }

    /// Whether the cell at a path is one for the item that is there now.
    private func fits(_ path: IndexPath) -> Bool {
        guard shown.indices.contains(path[0]), shown[path[0]].indices.contains(path[1]) else {
            return false
        }
        return shown[path[0]][path[1]].kind == list[path[0], path[1]]?.kind
    }

    // MARK: What it shows then

    private func renew(_ update: Update) {
        for section in update.reloadedSections {
            shown[section] = list.items(inSection: section).map { Cell($0) }
            replacedCells += shown[section].count
        }
        for path in update.reloaded {
            guard let item = list[path[0], path[1]] else { continue }
            shown[path[0]][path[1]] = Cell(item)
            replacedCells += 1
        }
        for path in update.reconfigured {
            guard let item = list[path[0], path[1]] else { continue }
            shown[path[0]][path[1]].item = item
            reconfiguredCells += 1
        }
    }

    private func show(_ update: Update) {
        var columns: [[Cell?]] = shown.map { $0.map { $0 } }
        let movedItems = update.moved.map { columns[$0.from[0]][$0.from[1]] }
        for path in update.deleted + update.moved.map(\.from) { columns[path[0]][path[1]] = nil }
        let movedSections = update.movedSections.map { columns[$0.from] }
        let gone = update.deletedSections.union(IndexSet(update.movedSections.map(\.from)))
        var kept = columns.enumerated().filter { !gone.contains($0.offset) }.map(\.element)
        var comes = update.insertedSections.map { index in
            (index, list.items(inSection: index).map { Optional(Cell($0)) })
        }
        comes += zip(update.movedSections, movedSections).map { ($0.to, $1) }
        for (index, column) in comes.sorted(by: { $0.0 < $1.0 }) { kept.insert(column, at: index) }
        var shown = kept.map { $0.compactMap { $0 } }
        var arrivals = update.inserted.map { path in
            (path, list[path[0], path[1]].map { Cell($0) })
        }
        arrivals += zip(update.moved, movedItems).map { ($0.to, $1) }
        for (path, cell) in arrivals.sorted(by: { $0.0 < $1.0 }) {
            guard let cell, path[1] <= shown[path[0]].count else {
                return complain("a gap at \(path)")
            }
            shown[path[0]].insert(cell, at: path[1])
        }
        self.shown = shown
        renew(update)
        if cells != (0..<list.sectionCount).map({ list.items(inSection: $0).map(\.id) }) {
            complain("it shows something else than there is")
        }
    }
}

// Empty, as an app's of UIKit's is.
extension StrictCollectionView: BatchUpdating {}
