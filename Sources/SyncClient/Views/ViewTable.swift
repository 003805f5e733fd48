package import SyncLayout
package import SyncModel
package import SyncWire

/// An item on a screen.
package struct ShownItem: Sendable {
    package let item: Item
    /// Only changes after this revision may be missing from the screen. Each view has a revision of
    /// its own. `nil` if none is known.
    package let revision: Revision?
}

/// The views that a member has of a room, and the requests for them that are still to be sent.
///
/// Invariants:
/// 1. Numbers ascend, so that none is reused while the server may still send something about it.
/// 2. Views are closed before others open, so that the server never has more than the client wants.
package struct ViewTable {
    /// Few, in the order in which they were opened.
    private var views: [OpenView] = []
    /// Closed views that are still open on the server.
    private var closed: [ViewNumber] = []
    private var lastNumber: ViewNumber = 0

    package init() {}

    /// Whether a view has got no update on this connection yet.
    var awaitsFirst: Bool { views.contains(where: \.awaitsFirst) }

    var isAnyOpen: Bool { !views.isEmpty }

    /// The screen of a view; `nil` if it is not open.
    package func screen(of number: ViewNumber) -> ViewScreen? {
        index(of: number).map { views[$0].screen }
    }

    /// All that a view shows now; `nil` if it is not open.
    func snapshot(of number: ViewNumber) -> ViewSnapshot? {
        index(of: number).map { views[$0].snapshot }
    }

    /// The items on all screens, in the room's order, each once, in its newest version.
    package var shownItems: [ShownItem] {
        var newest: [Identifier: (path: ItemPath, revision: Revision, shown: ShownItem)] = [:]
        for screen in views.map(\.screen) {
            let revision = screen.revision ?? 0
            for (path, item) in screen.items {
                if let known = newest[item.id], known.revision > revision { continue }
                let shown = ShownItem(item: item, revision: screen.wholeRevision)
                newest[item.id] = (path, revision, shown)
            }
        }
        return newest.values.sorted { $0.path < $1.path }.map(\.shown)
    }

    private func index(of number: ViewNumber) -> Int? {
        views.firstIndex { $0.number == number }
    }

    // MARK: Settings

    /// Opens a view.
    ///
    /// - Returns: its number.
    package mutating func open(layout: ViewLayout, bounds: ListRect, overscan: Double) -> ViewNumber
    {
        repeat { lastNumber &+= 1 } while index(of: lastNumber) != nil
        views.append(OpenView(lastNumber, layout: layout, bounds: bounds, overscan: overscan))
        return lastNumber
    }

    package mutating func change(_ number: ViewNumber, _ settings: ViewSettings) {
        if let index = index(of: number) { views[index].change(settings) }
    }

    /// - Returns: whether it was open.
    package mutating func close(_ number: ViewNumber) -> Bool {
        guard let index = index(of: number) else { return false }
        if views.remove(at: index).isSent { closed.append(number) }
        return true
    }

    // MARK: The server

    /// The next request to send, if there is any.
    package mutating func takeRequest(room: RoomHandle) -> ViewRequest? {
        if !closed.isEmpty {
            return ViewRequest(room: room, view: closed.removeFirst(), isClosed: true)
        }
        for index in views.indices {
            if let request = views[index].takeRequest(room: room) { return request }
        }
        return nil
    }

    /// Applies an update; `nil` if the view was closed meanwhile.
    package mutating func apply(_ update: ViewUpdate) throws(ViewScreenError) -> ViewChange? {
        guard let index = index(of: update.view) else { return nil }
        return try views[index].apply(update)
    }

    mutating func didLoseConnection() {
        closed = []
        for index in views.indices { views[index].didLoseConnection() }
    }

    /// Forgets a view that the server has closed.
    ///
    /// - Returns: whether it was open.
    package mutating func remove(_ number: ViewNumber) -> Bool {
        guard let index = index(of: number) else { return false }
        views.remove(at: index)
        return true
    }

    /// Forgets all views.
    ///
    /// - Returns: their numbers.
    mutating func removeAll() -> [ViewNumber] {
        defer { views = [] }
        return views.map(\.number)
    }
}
