import SyncBytes
package import SyncLayout
package import SyncModel

/// What another member of a room shows now, or that it has left.
package struct PresenceLine: Sendable, Equatable {
    /// Its id; empty only with ``left``, and then all other members are gone.
    package var client: String
    /// Empty if the server knows no users.
    package var user: String
    /// What to show as the user's name; may be empty.
    package var name: String
    package var selected: [Identifier]
    package var highlighted: [Identifier]
    package var custom: Value?
    /// The item that the member drags.
    package var dragged: DraggedItem?
    /// Whether the member has left. Then nothing else is set.
    package var left: Bool

    package init(
        client: String, user: String = "", name: String = "", selected: [Identifier] = [],
        highlighted: [Identifier] = [], custom: Value? = nil, dragged: DraggedItem? = nil,
        left: Bool = false
    ) {
        self.client = client
        self.user = user
        self.name = name
        self.selected = selected
        self.highlighted = highlighted
        self.custom = custom
        self.dragged = dragged
        self.left = left
    }
}

extension JSONWriter {
    mutating func write(_ line: PresenceLine) {
        beginObject()
        if !line.client.isEmpty || !line.left {
            key("client")
            write(text: line.client)
        }
        if !line.user.isEmpty {
            key("user")
            write(text: line.user)
        }
        if !line.name.isEmpty {
            key("name")
            write(text: line.name)
        }
        list("selected", line.selected) { $0.write(text: $1.text) }
        list("highlighted", line.highlighted) { $0.write(text: $1.text) }
        if let custom = line.custom {
            key("custom")
            write(custom)
        }
        if let dragged = line.dragged {
            key("drag")
            write(dragged)
        }
        if line.left {
            key("left")
            write(bool: true)
        }
        endObject()
    }

    private mutating func write(_ dragged: DraggedItem) {
        beginObject()
        key("id")
        write(text: dragged.item.text)
        if let target = dragged.target {
            key("to")
            write(target)
        }
        endObject()
    }
}

extension JSONNode {
    func presenceLine() throws(JSONError) -> PresenceLine {
        var client: String?
        var line = PresenceLine(client: "")
        enum Key: JSONName, CaseIterable {
            case client, user, name, selected, highlighted, custom, drag, left
        }
        for member in try members() {
            let node = member.node
            switch try member.key(Key.self) {
            case .client: client = try node.text().shown
            case .user: line.user = try node.text().shown
            case .name: line.name = try node.text().shown
            case .selected: line.selected = try node.identifiers()
            case .highlighted: line.highlighted = try node.identifiers()
            case .custom: line.custom = try node.anyValue()
            case .drag: line.dragged = try node.draggedItem()
            case .left: line.left = try node.bool()
            }
        }
        line.client = line.left ? client ?? "" : try required(client, "client")
        return line
    }

    private func draggedItem() throws(JSONError) -> DraggedItem {
        var item: Identifier?
        var target: DropTarget?
        enum Key: JSONName, CaseIterable { case id, to }
        for member in try members() {
            switch try member.key(Key.self) {
            case .id: item = try member.node.identifier()
            case .to: target = try member.node.dropTarget()
            }
        }
        return DraggedItem(item: try required(item, "id"), target: target)
    }

    func dropTarget() throws(JSONError) -> DropTarget {
        var section: Identifier?
        var after: Identifier?
        enum Key: JSONName, CaseIterable { case section, after }
        for member in try members() {
            switch try member.key(Key.self) {
            case .section: section = try member.node.identifier()
            case .after: after = try member.node.identifier()
            }
        }
        return DropTarget(section: try required(section, "section"), after: after)
    }
}
