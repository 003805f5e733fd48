import SyncBytes

/// What a member shows the others of itself from now on, in place of what it showed before.
package struct Presence: Sendable, Equatable {
    /// The room's handle.
    package var room: RoomHandle
    package var state: PresenceState

    package init(room: RoomHandle, state: PresenceState = PresenceState()) {
        self.room = room
        self.state = state
    }
}

extension Presence {
    private enum Number {
        static let room = 1
    }

    init(parsing bytes: UnsafeRawBufferPointer, _ limits: PresenceLimits) throws(FieldError) {
        var room: RoomHandle = 0
        var parser = PresenceState.Parser(limits)
        var reader = FieldReader(bytes)
        while let field = try reader.next() {
            switch field {
            case Number.room: room = try reader.uint32()
            default: try parser.take(field, &reader)
            }
        }
        if let excess = parser.excess {
            throw .refused(.presence(in: room), .limitExceeded, excess)
        }
        if let fault = parser.fault {
            throw .refused(.presence(in: room), .badContent, fault.explanation)
        }
        self.init(room: room, state: parser.state)
    }

    func write(to writer: inout ByteWriter) {
        writer.write(Number.room, nonzero: room)
        state.write(to: &writer)
    }
}
