import SyncBytes
package import SyncModel

/// Asks for what changed between two revisions. Batches answer, then ``Done``.
package struct ReadHistory: Sendable, Equatable {
    package var request: RequestID
    package var room: RoomName
    package var from: Revision
    /// The last revision, if not the newest.
    package var until: Revision?
    /// Each revision is to come as a batch of its own; otherwise one batch has all changes.
    package var everyRevision: Bool
    /// The room and epoch that the revisions belong to, if the client knows.
    package var origin: Origin?

    package init(
        request: RequestID, room: RoomName, from: Revision, until: Revision? = nil,
        everyRevision: Bool = false, origin: Origin? = nil
    ) {
        self.request = request
        self.room = room
        self.from = from
        self.until = until
        self.everyRevision = everyRevision
        self.origin = origin
    }
}

extension ReadHistory {
    private enum Number {
        static let request = 1
        static let room = 2
        static let from = 3
        static let until = 4
        static let everyRevision = 5
        static let origin = 6
    }

    init(parsing bytes: UnsafeRawBufferPointer) throws(FieldError) {
        var request: RequestID = 0
        var room: RoomName?
        var from: Revision = 0
        var until: Revision?
        var everyRevision = false
        var origin: Origin?
        var fault: ContentFault?
        var reader = FieldReader(bytes)
        while let field = try reader.next() {
            switch field {
            case Number.request: request = try reader.uint32()
            case Number.room: room = try reader.roomName()
            case Number.from: from = try reader.number(noting: &fault)
            case Number.until: until = try reader.number(noting: &fault)
            case Number.everyRevision: everyRevision = try reader.bool()
            case Number.origin: origin = try Origin(parsing: try reader.body())
            default: try reader.skip()
            }
        }
        try fault?.refuse(request)
        self.init(
            request: request, room: try room.orRefuse(request), from: from, until: until,
            everyRevision: everyRevision, origin: origin)
    }

    func write(to writer: inout ByteWriter) {
        writer.write(Number.request, nonzero: request)
        writer.write(Number.room, nonempty: room.text)
        writer.write(Number.from, nonzero: from)
        if let until { writer.write(field: Number.until, varint: until) }
        writer.write(Number.everyRevision, true: everyRevision)
        origin?.write(Number.origin, to: &writer)
    }
}
