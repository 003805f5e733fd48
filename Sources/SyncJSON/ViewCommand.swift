package import SyncLayout
package import SyncModel

/// Opens, changes or closes a view of the room. What the command does not set stays as it is.
package struct ViewCommand: Sendable, Equatable {
    /// The name that the program gave the view.
    package var id: Identifier
    /// Required to open a view.
    package var layout: ViewLayout?
    /// The part of the content that is on the screen, in its coordinates. Required to open a view.
    package var bounds: ListRect?
    /// How far beyond the bounds elements are needed, in points.
    package var overscan: Double?
    /// Whether the layout may move the bounds to where it wants items to rest: then they only say
    /// where scrolling would end.
    package var snaps: Bool
    /// Where the bounds move.
    package var anchor: ViewAnchor?
    /// Whether to close the view. Then nothing else is set.
    package var isClosed: Bool

    package init(
        id: Identifier, layout: ViewLayout? = nil, bounds: ListRect? = nil,
        overscan: Double? = nil, snaps: Bool = false, anchor: ViewAnchor? = nil,
        isClosed: Bool = false
    ) {
        self.id = id
        self.layout = layout
        self.bounds = bounds
        self.overscan = overscan
        self.snaps = snaps
        self.anchor = anchor
        self.isClosed = isClosed
    }
}

extension ViewSettings {
    /// The changes of a command to a view that is open.
    package init(_ command: ViewCommand) {
        self.init(
            layout: command.layout,
            origin: command.bounds?.origin, snaps: command.snaps, anchor: command.anchor,
            size: command.bounds?.size, overscan: command.overscan)
    }
}

extension JSONNode {
    func viewCommand() throws(JSONError) -> ViewCommand {
        var id: Identifier?
        var layout = ViewLayoutReading()
        // Set to its name at the end.
        var command = ViewCommand(id: "view")
        /// The first key that changes the view.
        var change: JSONMember?
        enum Key: JSONName, CaseIterable { case id, close, bounds, snap, anchor, overscan }
        for member in try members() {
            let node = member.node
            let key = member.known(Key.self)
            switch key {
            case .id: id = try node.identifier()
            case .close: command.isClosed = try node.bool()
            case .bounds: command.bounds = try node.rect()
            case .snap: command.snaps = try node.bool()
            case .anchor: command.anchor = try node.anchor()
            case .overscan: command.overscan = try node.number()
            case nil:
                guard try layout.read(member) else {
                    throw member.unknownKey(among: Key.names + ViewLayoutReading.Key.names)
                }
            }
            if key != .id, key != .close { change = change ?? member }
        }
        if command.isClosed, let change { throw change.node.error("can't stand beside close") }
        if command.snaps { _ = try required(command.bounds, "bounds") }
        command.id = try required(id, "id")
        command.layout = try layout.finish()
        return command
    }

    private func anchor() throws(JSONError) -> ViewAnchor {
        var item: Identifier?
        var distance = ListPoint()
        var isBeginning = false
        /// The first key that is about an item.
        var aboutItem: JSONMember?
        enum Key: JSONName, CaseIterable { case id, x, y, beginning }
        for member in try members() {
            let key = try member.key(Key.self)
            switch key {
            case .id: item = try member.node.identifier()
            case .x: distance.x = try member.node.number()
            case .y: distance.y = try member.node.number()
            case .beginning: isBeginning = try member.node.bool()
            }
            if key != .beginning { aboutItem = aboutItem ?? member }
        }
        guard isBeginning else {
            return .item(ItemAnchor(item: try required(item, "id"), distance: distance))
        }
        if let aboutItem { throw aboutItem.node.error("can't stand beside beginning") }
        return .beginning
    }
}
