import SyncBytes
package import SyncLayout
package import SyncModel

/// What another member shows now, in place of what it showed before; or that it is gone.
package struct PresenceUpdate: Sendable, Equatable {
    /// The room's handle.
    package var room: RoomHandle
    package var state: PresenceState
    /// The member's client id. It is `nil` only with ``left``, and then all known members are gone.
    package var client: Identifier?
    /// The user that the client has signed in as; empty if it has not.
    package var user: String
    /// What to show as the user's name; may be empty.
    package var displayName: String
    /// It is no longer in the room.
    package var left: Bool
    /// What it drags.
    package var dragged: DraggedItem?

    package init(
        room: RoomHandle, client: Identifier?, user: String = "", displayName: String = "",
        state: PresenceState = PresenceState(), left: Bool = false,
        dragged: DraggedItem? = nil
    ) {
        self.room = room
        self.state = state
        self.client = client
        self.user = user
        self.displayName = displayName
        self.left = left
        self.dragged = dragged
    }
}

extension PresenceUpdate {
    private enum Number {
        static let room = 1
        static let client = 5
        static let user = 6
        static let left = 7
        static let dragged = 8
        static let displayName = 9
    }

    init(parsing bytes: UnsafeRawBufferPointer) throws(FieldError) {
        self.init(room: 0, client: nil)
        var parser = PresenceState.Parser(PresenceLimits())
        var reader = FieldReader(bytes)
        while let field = try reader.next() {
            switch field {
            case Number.room: room = try reader.uint32()
            case Number.client: client = try reader.identifier()
            case Number.user: user = try reader.label().shown
            case Number.displayName: displayName = try reader.label().shown
            case Number.left: left = try reader.bool()
            case Number.dragged: dragged = try DraggedItem(parsing: try reader.body())
            default: try parser.take(field, &reader)
            }
        }
        if let excess = parser.excess { throw .limit(excess) }
        if let fault = parser.fault { throw .meaningless(fault.explanation) }
        guard client != nil || left else { throw .malformed }
        state = parser.state
    }

    func write(to writer: inout ByteWriter) {
        writer.write(Number.room, nonzero: room)
        state.write(to: &writer)
        if let client { writer.write(Number.client, client) }
        writer.write(Number.user, nonempty: user)
        writer.write(Number.left, true: left)
        if let dragged { writer.write(message: Number.dragged) { dragged.write(to: &$0) } }
        writer.write(Number.displayName, nonempty: displayName)
    }
}
