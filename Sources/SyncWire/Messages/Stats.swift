import SyncBytes
package import SyncModel

/// A room in figures: the answer to a request for them.
package struct Stats: Sendable, Equatable {
    package var request: RequestID
    package var room: RoomName
    package var revision: Revision = 0
    /// The revision up to which the places of deleted items and sections are forgotten.
    package var horizon: Revision = 0
    /// The first revision that the log still has.
    package var oldestRevision: Revision = 0
    /// The revision of the newest stored snapshot.
    package var snapshotRevision: Revision = 0
    /// The room's id and its newest epochs.
    package var identity: RoomIdentity
    package var figures: Figures<RoomFigure>
    package var server: Figures<ServerFigure>
    /// Of who asks.
    package var account: Figures<AccountFigure>

    package init(
        request: RequestID, room: RoomName, identity: RoomIdentity, figures: Figures<RoomFigure>,
        server: Figures<ServerFigure>, account: Figures<AccountFigure>
    ) {
        self.request = request
        self.room = room
        self.identity = identity
        self.figures = figures
        self.server = server
        self.account = account
    }
}

extension Stats {
    private enum Number {
        static let request = 1
        static let room = 2
        static let revision = 3
        static let horizon = 4
        static let oldestRevision = 5
        static let snapshotRevision = 6
        static let identity = 7
        static let figures = 8
        static let server = 9
        static let account = 10
    }

    init(parsing bytes: UnsafeRawBufferPointer) throws(FieldError) {
        var request: RequestID = 0
        var room: RoomName?
        var revisions: (Revision, horizon: Revision, oldest: Revision, snapshot: Revision) = (
            0, 0, 0, 0
        )
        var identity: RoomIdentity?
        var figures = Figures<RoomFigure>()
        var server = Figures<ServerFigure>()
        var account = Figures<AccountFigure>()
        var reader = FieldReader(bytes)
        while let field = try reader.next() {
            switch field {
            case Number.request: request = try reader.uint32()
            case Number.room: room = try reader.roomName()
            case Number.revision: revisions.0 = try reader.number()
            case Number.horizon: revisions.horizon = try reader.number()
            case Number.oldestRevision: revisions.oldest = try reader.number()
            case Number.snapshotRevision: revisions.snapshot = try reader.number()
            case Number.identity: identity = try RoomIdentity(parsing: try reader.body())
            case Number.figures: try figures.add(parsing: try reader.body())
            case Number.server: try server.add(parsing: try reader.body())
            case Number.account: try account.add(parsing: try reader.body())
            default: try reader.skip()
            }
        }
        guard let room, let identity else { throw .malformed }
        self.init(
            request: request, room: room, identity: identity, figures: figures, server: server,
            account: account)
        (revision, horizon, oldestRevision, snapshotRevision) = revisions
    }

    func write(to writer: inout ByteWriter) {
        writer.write(Number.request, nonzero: request)
        writer.write(Number.room, nonempty: room.text)
        writer.write(Number.revision, nonzero: revision)
        writer.write(Number.horizon, nonzero: horizon)
        writer.write(Number.oldestRevision, nonzero: oldestRevision)
        writer.write(Number.snapshotRevision, nonzero: snapshotRevision)
        identity.write(Number.identity, to: &writer)
        figures.write(Number.figures, to: &writer)
        server.write(Number.server, to: &writer)
        account.write(Number.account, to: &writer)
    }
}
