import SyncBytes
package import SyncModel

/// The answer to a ``Join``. The snapshot or the batches that the member lacks follow on the room's
/// channel.
package struct Joined: Sendable, Equatable {
    package var request: RequestID
    /// The room's handle on this connection.
    package var handle: RoomHandle
    package var room: RoomName
    package var client: Identifier
    /// The person, as far as the server knows; else empty.
    package var user: String
    package var role: Role
    /// The room's revision.
    package var revision: Revision
    /// Batches follow from the join's `from` on; otherwise a snapshot comes first.
    package var resumed: Bool
    /// The room's id and its newest epochs.
    package var identity: RoomIdentity
    /// The client's content does not belong to this room's history.
    package var changed: Bool
    /// The greatest counter that the room knows of the client, whose numbers continue after it; 0
    /// if it knows none.
    package var counter: UInt64
    /// Answers to the client's earlier transactions, each list by ascending counter, as if they
    /// came after this message.
    package var acks: [Ack]
    package var rejects: [Reject]
    /// The room has none of the transactions up to this counter that are above the join's and have
    /// no answer here. One that is applied but not on disk yet is answered later.
    package var answeredThrough: UInt64

    package init(
        request: RequestID, handle: RoomHandle, room: RoomName, client: Identifier, user: String,
        role: Role, revision: Revision, resumed: Bool, identity: RoomIdentity,
        changed: Bool = false, counter: UInt64 = 0, acks: [Ack] = [], rejects: [Reject] = [],
        answeredThrough: UInt64 = 0
    ) {
        self.request = request
        self.handle = handle
        self.room = room
        self.client = client
        self.user = user
        self.role = role
        self.revision = revision
        self.resumed = resumed
        self.identity = identity
        self.changed = changed
        self.counter = counter
        self.acks = acks
        self.rejects = rejects
        self.answeredThrough = answeredThrough
    }
}

extension Joined {
    private enum Number {
        static let request = 1
        static let handle = 2
        static let room = 3
        static let client = 4
        static let user = 5
        static let role = 6
        static let revision = 7
        static let resumed = 8
        static let identity = 9
        static let changed = 10
        static let counter = 11
        static let acks = 12
        static let rejects = 13
        static let answeredThrough = 14
    }

    init(parsing bytes: UnsafeRawBufferPointer) throws(FieldError) {
        var request: RequestID = 0
        var handle: RoomHandle = 0
        var room: RoomName?
        var client: Identifier?
        var user = ""
        var role: Role?
        var revision: Revision = 0
        var resumed = false
        var identity: RoomIdentity?
        var changed = false
        var counter: UInt64 = 0
        var acks: [Ack] = []
        var rejects: [Reject] = []
        var answeredThrough: UInt64 = 0
        var reader = FieldReader(bytes)
        while let field = try reader.next() {
            switch field {
            case Number.request: request = try reader.uint32()
            case Number.handle: handle = try reader.uint32()
            case Number.room: room = try reader.roomName()
            case Number.client: client = try reader.identifier()
            case Number.user: user = try reader.label().shown
            case Number.role: role = Role(number: try reader.uint32())
            case Number.revision: revision = try reader.number()
            case Number.resumed: resumed = try reader.bool()
            case Number.identity: identity = try RoomIdentity(parsing: try reader.body())
            case Number.changed: changed = try reader.bool()
            case Number.counter: counter = try reader.number()
            case Number.acks: acks.append(try Ack(parsing: try reader.body()))
            case Number.rejects: rejects.append(try Reject(parsing: try reader.body()))
            case Number.answeredThrough: answeredThrough = try reader.number()
            default: try reader.skip()
            }
        }
        guard let room, let client, let role, let identity else { throw .malformed }
        self.init(
            request: request, handle: handle, room: room, client: client, user: user, role: role,
            revision: revision, resumed: resumed, identity: identity, changed: changed,
            counter: counter, acks: acks, rejects: rejects, answeredThrough: answeredThrough)
    }

    func write(to writer: inout ByteWriter) {
        writer.write(Number.request, nonzero: request)
        writer.write(Number.handle, nonzero: handle)
        writer.write(Number.room, nonempty: room.text)
        writer.write(Number.client, client)
        writer.write(Number.user, nonempty: user)
        writer.write(Number.role, nonzero: role.rawValue)
        writer.write(Number.revision, nonzero: revision)
        writer.write(Number.resumed, true: resumed)
        identity.write(Number.identity, to: &writer)
        writer.write(Number.changed, true: changed)
        writer.write(Number.counter, nonzero: counter)
        for ack in acks {
            writer.write(message: Number.acks) { writer in ack.write(to: &writer) }
        }
        for reject in rejects {
            writer.write(message: Number.rejects) { writer in reject.write(to: &writer) }
        }
        writer.write(Number.answeredThrough, nonzero: answeredThrough)
    }
}
