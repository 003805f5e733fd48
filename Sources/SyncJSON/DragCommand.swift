package import SyncLayout
package import SyncModel

/// A step of dragging an item in a view that the program has opened. It can drag one item at a
/// time.
package enum DragCommand: Sendable, Equatable {
    /// Begins to drag an item. In a shared drag, its neighbours make room on the screens of others
    /// too.
    case begin(Identifier, view: Identifier, isShared: Bool)
    /// Moves it to a point, in the content's coordinates.
    case update(ListPoint)
    /// Drops it.
    case end
    /// Cancels the drag.
    case cancel
}

extension JSONNode {
    func dragCommand() throws(JSONError) -> DragCommand {
        enum Key: JSONName, CaseIterable { case begin, update, end, cancel }
        let member = try onlyMember(Key.self, "which is")
        switch member.key {
        case .begin: return try member.node.dragBegin()
        case .update: return .update(try member.node.dragPoint())
        case .end:
            try member.node.requireNothing()
            return .end
        case .cancel:
            try member.node.requireNothing()
            return .cancel
        }
    }

    private func dragBegin() throws(JSONError) -> DragCommand {
        var id: Identifier?
        var view: Identifier?
        var isShared = false
        enum Key: JSONName, CaseIterable { case id, view, shared }
        for member in try members() {
            switch try member.key(Key.self) {
            case .id: id = try member.node.identifier()
            case .view: view = try member.node.identifier()
            case .shared: isShared = try member.node.bool()
            }
        }
        return .begin(
            try required(id, "id"), view: try required(view, "view"), isShared: isShared)
    }

    private func dragPoint() throws(JSONError) -> ListPoint {
        var x: Double?
        var y: Double?
        enum Key: JSONName, CaseIterable { case x, y }
        for member in try members() {
            switch try member.key(Key.self) {
            case .x: x = try member.node.number()
            case .y: y = try member.node.number()
            }
        }
        return ListPoint(x: try required(x, "x"), y: try required(y, "y"))
    }

    private func requireNothing() throws(JSONError) {
        for member in try members() { throw member.unknownKey() }
    }
}
