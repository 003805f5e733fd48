package import SyncModel

/// A clipboard command of a program.
package enum ClipboardCommand: Sendable, Equatable {
    /// Copies items to it.
    case copy([Identifier])
    /// Cuts items: a paste moves them.
    case cut([Identifier])
    /// Pastes items at a place: those of the given clipboard, or of the program's own.
    case paste(Clipboard?, to: Placement)
}

extension JSONNode {
    /// The ids of the items to copy or cut.
    func clippedIDs() throws(JSONError) -> [Identifier] {
        var ids: [Identifier]?
        for member in try members() {
            guard member.isNamed("ids") else { throw member.unknownKey(among: ["ids"]) }
            ids = try member.node.identifiers()
        }
        return try required(ids, "ids")
    }

    func pasteCommand() throws(JSONError) -> ClipboardCommand {
        var clipboard: Clipboard?
        var place: Placement?
        enum Key: JSONName, CaseIterable { case clipboard, to }
        for member in try members() {
            switch try member.key(Key.self) {
            case .clipboard: clipboard = try member.node.clipboard()
            case .to: place = try member.node.itemPlacement()
            }
        }
        return .paste(clipboard, to: try required(place, "to"))
    }
}
