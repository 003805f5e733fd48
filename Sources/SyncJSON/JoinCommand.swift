package import SyncModel

/// An input line of `join`: a command to a room.
package enum JoinCommand: Sendable, Equatable {
    /// Operations to apply together; with `all`, none of them if a guard has changed. Without
    /// `base`, it is the client's current revision; without `tx`, the number after the last one.
    /// Without `origin`, `base` is a revision of the room as the client last received it.
    case transaction(
        operations: [ListOperation], base: Revision?, tx: UInt64?, origin: RoomOrigin? = nil,
        isAllOrNothing: Bool = false)
    /// Opens, changes or closes a view of the room. It is an object of its own, since it is large,
    /// and most lines are transactions.
    indirect case view(ViewCommand)
    /// A step of dragging an item in a view.
    case drag(DragCommand)
    /// What other members can see of this one.
    case presence(PresenceCommand)
    /// A clipboard command.
    indirect case clipboard(ClipboardCommand)
    /// A command that servers do not support yet, by its key. Its content is not read.
    case unsupported(name: String)

    /// Reads a line, with or without the newline at its end.
    package init(line: UnsafeRawBufferPointer) throws(JSONError) {
        var made = 0
        self = try JoinCommand(line: line, counting: &made)
    }

    /// Reads a line, and counts what is made of it and takes longer than bytes that are only
    /// looked at: elements of lists, values of any kind, keys that clients choose, and names in an
    /// error.
    package init(line: UnsafeRawBufferPointer, counting made: inout Int) throws(JSONError) {
        self = try JSONNode.parse(line, counting: &made) { node throws(JSONError) in
            try node.joinCommand()
        }
    }
}

extension JSONNode {
    fileprivate func joinCommand() throws(JSONError) -> JoinCommand {
        var operations: [ListOperation]?
        var base: Revision?
        var tx: UInt64?
        var origin = OriginKeys()
        var isAllOrNothing = false
        enum Key: JSONName, CaseIterable {
            case ops, base, tx, all, id, epoch, view, presence, drag, copy, cut, paste, undo, redo
        }
        var alone: (key: Key, command: JoinCommand)?
        for member in try members() {
            let key = try member.key(Key.self)
            switch key {
            case .ops:
                operations = try member.node.elements { node throws(JSONError) in
                    try node.operation()
                }
            case .base: base = try member.node.wholeNumber()
            case .tx: tx = try member.node.wholeNumber(atLeast: 1)
            case .all: isAllOrNothing = try member.node.bool()
            case .id, .epoch: try origin.read(member)
            case .view: alone = (key, .view(try member.node.viewCommand()))
            case .presence: alone = (key, .presence(try member.node.presenceCommand()))
            case .drag: alone = (key, .drag(try member.node.dragCommand()))
            case .copy:
                alone = (key, .clipboard(.copy(try member.node.clippedIDs())))
            case .cut: alone = (key, .clipboard(.cut(try member.node.clippedIDs())))
            case .paste: alone = (key, .clipboard(try member.node.pasteCommand()))
            case .undo, .redo:
                alone = (key, .unsupported(name: key.rawValue.text))
            }
        }
        if let alone {
            if let other = try members().first(where: { $0.known(Key.self) != alone.key }) {
                throw other.node.error("can't stand beside \(alone.key.rawValue.text)")
            }
            return alone.command
        }
        guard let operations else {
            throw error(
                "must say ops, undo, redo, copy, cut, paste, presence, drag or view")
        }
        let whole = try origin.finish(in: self)
        if whole != nil { _ = try required(base, "base") }
        return .transaction(
            operations: operations, base: base, tx: tx, origin: whole,
            isAllOrNothing: isAllOrNothing)
    }
}
