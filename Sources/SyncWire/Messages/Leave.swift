import SyncBytes

/// Leaves a room. ``Done`` answers it; until then batches of the room may still come.
package struct Leave: Sendable, Equatable {
    package var request: RequestID
    package var room: RoomHandle

    package init(request: RequestID, room: RoomHandle) {
        self.request = request
        self.room = room
    }
}

extension Leave {
    private enum Number {
        static let request = 1
        static let room = 2
    }

    init(parsing bytes: UnsafeRawBufferPointer) throws(FieldError) {
        self.init(request: 0, room: 0)
        var reader = FieldReader(bytes)
        while let field = try reader.next() {
            switch field {
            case Number.request: request = try reader.uint32()
            case Number.room: room = try reader.uint32()
            default: try reader.skip()
            }
        }
    }

    func write(to writer: inout ByteWriter) {
        writer.write(Number.request, nonzero: request)
        writer.write(Number.room, nonzero: room)
    }
}
