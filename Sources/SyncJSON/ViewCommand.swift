import SyncEngine
package import SyncLayout

/// Opens a view of the room, changes one that is open, or closes it. What is not said stays as it was.
package struct ViewCommand: Sendable, Equatable {
    /// The view's name, of the program's choice.
    package var id: String
    /// A view that opens needs it.
    package var layout: ViewLayout?
    /// What is on the screen, in the content's coordinates. A view that opens needs it.
    package var bounds: Rect?
    /// How far beyond the bounds elements are wanted, in points.
    package var overscan: Double?
    /// Whether the bounds are only where scrolling would end, and end where the layout wants items to rest.
    package var snaps: Bool
    /// Nothing else is said then.
    package var isClosed: Bool

    package init(
        id: String, layout: ViewLayout? = nil, bounds: Rect? = nil, overscan: Double? = nil,
        snaps: Bool = false, isClosed: Bool = false
    ) {
        self.id = id
        self.layout = layout
        self.bounds = bounds
        self.overscan = overscan
        self.snaps = snaps
        self.isClosed = isClosed
    }
}

extension JSONNode {
    func viewCommand() throws(JSONError) -> ViewCommand {
        var id: Identifier?
        var layout = ViewLayoutReading()
        var command = ViewCommand(id: "")
        /// One that changes the view.
        var change: JSONMember?
        for member in try members() {
            let node = member.node
            switch member.key {
            case "id": id = try node.identifier()
            case "close": command.isClosed = try node.bool()
            case "bounds": command.bounds = try node.rect()
            case "snap": command.snaps = try node.bool()
            case "overscan": command.overscan = try node.number()
            default: if try !layout.read(member) { throw member.unknownKey }
            }
            if !["id", "close"].contains(member.key) { change = change ?? member }
        }
        if command.isClosed, let change { throw change.node.error("can't stand beside close") }
        if command.snaps { _ = try required(command.bounds, "bounds") }
        command.id = try required(id, "id").text
        command.layout = try layout.finish()
        return command
    }
}
