import SyncBytes
package import SyncEngine

/// A room in figures: the answer to a request for them.
package struct Stats: Sendable, Equatable {
    package var request: RequestID
    package var room: RoomName
    package var figures: Figures
    /// The room's id and its newest epochs.
    package var identity: RoomIdentity
    package var server: ServerFigures

    /// The figures, in the order of their field numbers from 3 on.
    package struct Figures: Sendable, Equatable {
        package var revision: Revision = 0
        /// The revision up to which dead nodes are forgotten.
        package var horizon: Revision = 0
        /// The first revision that the log still holds.
        package var oldestRevision: Revision = 0
        /// The revision of the newest stored snapshot.
        package var snapshotRevision: Revision = 0
        package var sections: UInt64 = 0
        package var items: UInt64 = 0
        /// Dead nodes that are kept.
        package var deadNodes: UInt64 = 0
        package var members: UInt64 = 0
        /// Bytes of the room in memory.
        package var memoryBytes: UInt64 = 0
        /// Bytes of the room's log and snapshots on disk.
        package var storedBytes: UInt64 = 0
        /// The most that these two may be; 0 if there is no limit.
        package var memoryLimit: UInt64 = 0
        package var storedLimit: UInt64 = 0

        package init() {}
    }

    package init(
        request: RequestID, room: RoomName, figures: Figures = Figures(), identity: RoomIdentity,
        server: ServerFigures = ServerFigures()
    ) {
        self.request = request
        self.room = room
        self.figures = figures
        self.identity = identity
        self.server = server
    }
}

extension Stats {
    private enum Number {
        static let request = 1
        static let room = 2
        static let firstFigure = 3
        static let identity = 64
        static let server = 65
    }

    init(parsing bytes: UnsafeRawBufferPointer) throws(FieldError) {
        var request: RequestID = 0
        var room: RoomName?
        var figures = Figures()
        var identity: RoomIdentity?
        var server = ServerFigures()
        var reader = FieldReader(bytes)
        while let field = try reader.next() {
            switch field {
            case Number.request: request = try reader.uint32()
            case Number.room: room = RoomName(try reader.text())
            case Number.firstFigure..<(Number.firstFigure + Figures.all.count):
                figures[keyPath: Figures.all[field - Number.firstFigure]] = try reader.uint64()
            case Number.identity: identity = try RoomIdentity(parsing: try reader.body())
            case Number.server: server = try ServerFigures(parsing: try reader.body())
            default: try reader.skip()
            }
        }
        guard let room, let identity else { throw .malformed }
        self.init(
            request: request, room: room, figures: figures, identity: identity, server: server)
    }

    func write(to writer: inout ByteWriter) {
        writer.write(Number.request, nonzero: request)
        writer.write(Number.room, nonempty: room.text)
        for (index, figure) in Figures.all.enumerated() {
            writer.write(Number.firstFigure + index, nonzero: figures[keyPath: figure])
        }
        identity.write(Number.identity, to: &writer)
        writer.write(message: Number.server) { writer in server.write(to: &writer) }
    }
}

extension Stats.Figures {
    fileprivate static var all: [WritableKeyPath<Self, UInt64>] {
        [
            \.revision, \.horizon, \.oldestRevision, \.snapshotRevision, \.sections, \.items,
            \.deadNodes, \.members, \.memoryBytes, \.storedBytes, \.memoryLimit, \.storedLimit,
        ]
    }
}
