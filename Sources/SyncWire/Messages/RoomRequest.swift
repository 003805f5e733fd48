import SyncBytes
package import SyncModel

/// A request that names a room and nothing else: for its figures, which ``Stats`` answers, or for
/// its deletion, which ``Done`` answers.
package struct RoomRequest: Sendable, Equatable {
    package var request: RequestID
    package var room: RoomName

    package init(request: RequestID, room: RoomName) {
        self.request = request
        self.room = room
    }
}

extension RoomRequest {
    private enum Number {
        static let request = 1
        static let room = 2
    }

    init(parsing bytes: UnsafeRawBufferPointer) throws(FieldError) {
        var request: RequestID = 0
        var room: RoomName?
        var reader = FieldReader(bytes)
        while let field = try reader.next() {
            switch field {
            case Number.request: request = try reader.uint32()
            case Number.room: room = try reader.roomName()
            default: try reader.skip()
            }
        }
        self.init(request: request, room: try room.orRefuse(request))
    }

    func write(to writer: inout ByteWriter) {
        writer.write(Number.request, nonzero: request)
        writer.write(Number.room, nonempty: room.text)
    }
}
