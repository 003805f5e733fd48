package import SyncEngine

// Clipboards as JSON, on their way between programs.

extension Clipboard {
    /// Reads what ``JSONWriter/write(_:)`` writes.
    package init(json: UnsafeRawBufferPointer) throws(JSONError) {
        self = try JSONNode.parse(json) { node throws(JSONError) in try node.clipboard() }
    }
}

extension JSONWriter {
    /// Writes a clipboard as an object.
    package mutating func write(_ clipboard: Clipboard) {
        beginObject()
        key("room")
        write(text: clipboard.room)
        if clipboard.isCut {
            key("cut")
            write(bool: true)
        }
        key("items")
        beginList()
        for item in clipboard.items { write(item) }
        endList()
        endObject()
    }
}

extension JSONNode {
    func clipboard() throws(JSONError) -> Clipboard {
        var room: String?
        var items: [Item]?
        var isCut = false
        for member in try members() {
            switch member.key {
            case "room": room = try member.node.text()
            case "items":
                items = try member.node.elements { node throws(JSONError) in try node.item() }
            case "cut": isCut = try member.node.bool()
            default: throw member.unknownKey
            }
        }
        return Clipboard(
            room: try required(room, "room"), items: try required(items, "items"), isCut: isCut)
    }
}
