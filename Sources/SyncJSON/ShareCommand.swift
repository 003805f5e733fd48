import SyncBytes
package import SyncModel

/// What a token is asked for with which a room is shared.
package struct ShareCommand: Sendable, Equatable {
    package let room: RoomName
    package let role: Role
    /// What others see as the name of who uses it; may be empty.
    package let name: String
    /// For how many seconds; `nil` for as long as rooms may be shared.
    package let seconds: UInt64?

    /// Reads it from JSON.
    package init(_ text: UnsafeRawBufferPointer) throws(JSONError) {
        self = try JSONNode.parse(text) { node throws(JSONError) in try node.shareCommand() }
    }

    fileprivate init(_ room: RoomName, _ role: Role, _ name: String, _ seconds: UInt64?) {
        (self.room, self.role, self.name, self.seconds) = (room, role, name, seconds)
    }
}

extension JSONNode {
    private static let mostNameBytes = 256

    fileprivate func shareCommand() throws(JSONError) -> ShareCommand {
        var (room, role, name, seconds): (RoomName?, Role?, String, UInt64?) = (nil, nil, "", nil)
        enum Key: JSONName, CaseIterable { case room, role, name, seconds }
        for member in try members() {
            let node = member.node
            switch try member.key(Key.self) {
            case .room:
                room = try node.roomName()
                if room == nil { throw node.error("must be a room's name") }
            case .role:
                role = try node.known()
                if role == nil { throw node.error("must be viewer, editor or admin") }
            case .name:
                name = try node.text(atMost: JSONNode.mostNameBytes).shown
                let hasControls = name.unicodeScalars.contains {
                    $0.properties.generalCategory == .control
                }
                if hasControls { throw node.error("must have no control characters") }
            case .seconds: seconds = try node.wholeNumber(atLeast: 1)
            }
        }
        return ShareCommand(
            try required(room, "room"), try required(role, "role"), name, seconds)
    }
}
