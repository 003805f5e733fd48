package import SyncModel
import SyncTree

/// Reads the items that a query asks for, as they were at one revision, a piece at a time, while
/// transactions go on.
///
/// It is a plain value that remembers only places at its revision. These never change, so it may
/// go on in another engine that has the same room.
///
/// # Performance
/// ``stepsTaken`` counts the work. A piece begins with a ``RoomWindow``:
/// ``firstSteps(in:at:)``. Then an item takes O(1), one step and one for each 64 bytes of its
/// content; finding the first item of a page, or one by its id, takes O(log n), some steps. Dead
/// nodes, and contents and places that an item got after the revision, take a step each.
package struct ItemWalk {
    package let revision: Revision
    package private(set) var stepsTaken = 0
    /// The item, or the id, that was looked at last.
    package private(set) var last: Identifier?
    private let query: ItemQuery
    private let matcher: TextMatcher?
    /// The next place of a page; `nil` before the first piece.
    private var place: ItemPath?
    /// How many ids were looked at.
    private var idCount = 0

    package enum Progress: Sendable {
        /// There is more.
        case more
        /// There is more, and the caller takes no more.
        case full
        case atEnd
        /// The room has forgotten the revision.
        case forgotten
    }

    /// Why a query can't be answered.
    package enum Fault: Error, Equatable {
        /// The section is not in the room.
        case noSection
        /// The item to go on behind is not in the room.
        case noItem
        /// That item is not in the section.
        case otherSection
    }

    /// An item that was found.
    package struct Found {
        package let item: Item
        package let path: ItemPath
        /// The id of its section.
        package let section: Identifier
    }

    /// Finding a node from the root, or a node's index.
    fileprivate static let seekSteps = 8
    /// Preparing a window for a node that was touched after its revision.
    private static let touchedSteps = 4

    package init(_ query: ItemQuery, at revision: Revision) {
        self.query = query
        self.revision = revision
        matcher = if case .search(let text, _, _) = query.part { TextMatcher(text) } else { nil }
    }

    /// The steps that a piece takes to begin: it looks at all that was touched since the revision.
    package static func firstSteps(in engine: Engine, at revision: Revision) -> Int {
        1 + touchedSteps * engine.entryCount(from: revision, to: engine.revision)
    }

    /// Reads the next items.
    ///
    /// - Parameters:
    ///   - stepLimit: about how many steps to take, without the first ones. One item may take more.
    ///   - isFull: whether the caller takes no more items.
    ///   - visit: gets an item.
    package mutating func read(
        _ engine: Engine, stepLimit: Int, isFull: () -> Bool, visit: (Found) -> Void
    ) throws(Fault) -> Progress {
        guard let window = engine.window(at: revision) else { return .forgotten }
        stepsTaken += ItemWalk.firstSteps(in: engine, at: revision)
        let end = stepsTaken + max(1, stepLimit)
        switch query.part {
        case .these(let ids): return readItems(ids, window, end, isFull, visit)
        case .page(let section, let after), .search(_, let section, let after):
            if place == nil { place = try firstPlace(in: section, after: after, window) }
            return readPage(isOneSection: section != nil, window, end, isFull, visit)
        }
    }

    // MARK: Pages

    private mutating func firstPlace(
        in section: Identifier?, after: Identifier?, _ window: RoomWindow
    ) throws(Fault) -> ItemPath {
        var index: Int?
        if let section {
            stepsTaken += ItemWalk.seekSteps
            index = window.sectionIndex(of: section, steps: &stepsTaken)
            if index == nil { throw .noSection }
        }
        guard let after else { return ItemPath(section: index ?? 0, item: 0) }
        stepsTaken += ItemWalk.seekSteps
        let node = window.node(ofItem: after, steps: &stepsTaken)
        guard node != 0 else { throw .noItem }
        let place = window.path(of: node, steps: &stepsTaken)
        guard index == nil || place.section == index else { throw .otherSection }
        last = after
        return ItemPath(section: place.section, item: place.item + 1)
    }

    private mutating func readPage(
        isOneSection: Bool, _ window: RoomWindow, _ end: Int, _ isFull: () -> Bool,
        _ visit: (Found) -> Void
    ) -> Progress {
        while let place {
            stepsTaken += ItemWalk.seekSteps
            let section = window.node(at: place.section, in: window.engine.sectionSequence)
            if section == 0 { return .atEnd }
            let progress = readSection(section, from: place, window, end, isFull, visit)
            if progress != .atEnd || isOneSection { return progress }
            self.place = ItemPath(section: place.section + 1, item: 0)
            if stepsTaken >= end { return .more }
        }
        return .atEnd
    }

    private mutating func readSection(
        _ section: NodeID, from start: ItemPath, _ window: RoomWindow, _ end: Int,
        _ isFull: () -> Bool, _ visit: (Found) -> Void
    ) -> Progress {
        let engine = window.engine
        let record = engine.nodes[section]
        let count = window.count(record.sequence)
        let id = engine.id(of: record.thing)
        var place = start
        var node: NodeID = 0
        defer {
            self.place = place
            if node != 0 { last = engine.id(of: engine.nodes[node].thing) }
        }
        while place.item < count {
            if isFull() { return .full }
            if node != 0 {
                if stepsTaken >= end { return .more }
                node = window.next(node, steps: &stepsTaken)
            }
            if node == 0 {
                stepsTaken += ItemWalk.seekSteps
                node = window.node(at: place.item, in: record.sequence)
            }
            if let item = item(of: node, engine) {
                visit(Found(item: item, path: place, section: id))
            }
            place.item += 1
        }
        return .atEnd
    }

    /// The item of a node as it was, if it is one that the query asks for.
    private mutating func item(of node: NodeID, _ engine: Engine) -> Item? {
        let body = engine.body(
            of: engine.nodes[node].thing, at: revision, steps: &stepsTaken)
        let bytes = engine.blobs.bytes(body)
        stepsTaken += 1 + Engine.steps(forBytes: bytes.count)
        if let matcher, !matcher.matches(Body(bytes).content) { return nil }
        return engine.item(body)
    }

    // MARK: Ids

    private mutating func readItems(
        _ ids: [Identifier], _ window: RoomWindow, _ end: Int, _ isFull: () -> Bool,
        _ visit: (Found) -> Void
    ) -> Progress {
        let engine = window.engine
        while idCount < ids.count {
            if isFull() { return .full }
            if stepsTaken >= end { return .more }
            let id = ids[idCount]
            idCount += 1
            last = id
            stepsTaken += ItemWalk.seekSteps
            let node = window.node(ofItem: id, steps: &stepsTaken)
            guard node != 0, let item = item(of: node, engine) else { continue }
            let section = engine.sectionOfSequence[Int(engine.nodes[node].sequence)]
            visit(
                Found(
                    item: item, path: window.path(of: node, steps: &stepsTaken),
                    section: engine.id(of: section)))
        }
        return .atEnd
    }
}

/// Finding things by their ids.
extension RoomWindow {
    /// The node of the item with an id; 0 if it did not live. `steps` counts the nodes that it got
    /// since.
    fileprivate func node(ofItem id: Identifier, steps: inout Int) -> NodeID {
        livingNode(of: id.withBytes { engine.lookUpItem($0) }, steps: &steps)
    }

    /// The index of the section with an id; `nil` if it did not live.
    fileprivate func sectionIndex(of id: Identifier, steps: inout Int) -> Int? {
        let node = livingNode(of: id.withBytes { engine.findSection($0) }, steps: &steps)
        return node == 0 ? nil : rank(of: node, in: engine.sectionSequence)
    }

    private func livingNode(of thing: ThingID, steps: inout Int) -> NodeID {
        guard thing != 0 else { return 0 }
        let node = lastNode(of: thing, steps: &steps)
        return node != 0 && engine.wasAlive(node, at: revision) ? node : 0
    }

    /// Where an item's node stood, which lived.
    fileprivate func path(of node: NodeID, steps: inout Int) -> ItemPath {
        let sequence = engine.nodes[node].sequence
        let section = lastNode(of: engine.sectionOfSequence[Int(sequence)], steps: &steps)
        steps += ItemWalk.seekSteps
        return ItemPath(
            section: rank(of: section, in: engine.sectionSequence),
            item: rank(of: node, in: sequence))
    }
}
