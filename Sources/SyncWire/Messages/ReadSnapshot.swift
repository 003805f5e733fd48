import SyncBytes
package import SyncModel

/// Asks for a room's content at its newest or an earlier revision. ``SnapshotPart``s answer, then
/// ``Done``.
package struct ReadSnapshot: Sendable, Equatable {
    package var request: RequestID
    package var room: RoomName
    /// The revision, if not the newest.
    package var revision: Revision?
    /// The room and epoch that the revision belongs to, if the client knows.
    package var origin: Origin?

    package init(
        request: RequestID, room: RoomName, revision: Revision? = nil, origin: Origin? = nil
    ) {
        self.request = request
        self.room = room
        self.revision = revision
        self.origin = origin
    }
}

extension ReadSnapshot {
    private enum Number {
        static let request = 1
        static let room = 2
        static let revision = 3
        static let origin = 4
    }

    init(parsing bytes: UnsafeRawBufferPointer) throws(FieldError) {
        var request: RequestID = 0
        var room: RoomName?
        var revision: Revision?
        var origin: Origin?
        var fault: ContentFault?
        var reader = FieldReader(bytes)
        while let field = try reader.next() {
            switch field {
            case Number.request: request = try reader.uint32()
            case Number.room: room = try reader.roomName()
            case Number.revision: revision = try reader.number(noting: &fault)
            case Number.origin: origin = try Origin(parsing: try reader.body())
            default: try reader.skip()
            }
        }
        try fault?.refuse(request)
        self.init(
            request: request, room: try room.orRefuse(request), revision: revision,
            origin: origin)
    }

    func write(to writer: inout ByteWriter) {
        writer.write(Number.request, nonzero: request)
        writer.write(Number.room, nonempty: room.text)
        if let revision { writer.write(field: Number.revision, varint: revision) }
        origin?.write(Number.origin, to: &writer)
    }
}
