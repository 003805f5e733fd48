import SyncBytes
package import SyncModel

// Clipboards as JSON, for passing them between programs.

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
        if let origin = clipboard.origin { write(origin) }
        if let revision = clipboard.revision { member("revision", revision) }
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
        var room: RoomName?
        var items: [Item]?
        var isCut = false
        var revision: Revision?
        var origin = OriginKeys()
        enum Key: JSONName, CaseIterable { case room, items, cut, revision, id, epoch }
        for member in try members() {
            switch try member.key(Key.self) {
            case .room:
                room = try member.node.roomName()
                if room == nil { throw member.node.error("must be a room's name") }
            case .items:
                items = try member.node.elements { node throws(JSONError) in try node.item() }
            case .cut: isCut = try member.node.bool()
            case .revision: revision = try member.node.wholeNumber()
            case .id, .epoch: try origin.read(member)
            }
        }
        return Clipboard(
            room: try required(room, "room").text, items: try required(items, "items"),
            isCut: isCut, revision: revision, origin: try origin.finish(in: self))
    }
}

// MARK: - Origins

/// Collects the keys of an origin from those of a larger object.
struct OriginKeys {
    private var id: String?
    private var epoch: String?

    /// More than an identity has as text.
    private static let mostBytes = 64

    mutating func read(_ member: JSONMember) throws(JSONError) {
        let text = try member.node.text(atMost: OriginKeys.mostBytes).shown
        if member.isNamed("id") { id = text } else { epoch = text }
    }

    /// The origin; `nil` if there is none.
    func finish(in node: JSONNode) throws(JSONError) -> RoomOrigin? {
        if id == nil, epoch == nil { return nil }
        return RoomOrigin(id: try node.required(id, "id"), epoch: try node.required(epoch, "epoch"))
    }
}

extension JSONWriter {
    /// Writes an origin's keys into an object.
    fileprivate mutating func write(_ origin: RoomOrigin) {
        key("id")
        write(text: origin.id)
        key("epoch")
        write(text: origin.epoch)
    }
}
