import SyncBytes
package import SyncModel

/// The answer to ``ListRooms``, in as many messages as it takes.
package struct RoomList: Sendable, Equatable {
    /// What the server knows of a room without opening it.
    package struct Entry: Sendable, Equatable {
        package var name: RoomName
        package var revision: Revision
        /// How many members it has now.
        package var members: UInt32

        package init(name: RoomName, revision: Revision, members: UInt32) {
            self.name = name
            self.revision = revision
            self.members = members
        }
    }

    package var request: RequestID
    package var rooms: [Entry]
    /// The list continues in the next message.
    package var hasMore: Bool

    package init(request: RequestID, rooms: [Entry], hasMore: Bool = false) {
        self.request = request
        self.rooms = rooms
        self.hasMore = hasMore
    }
}

extension RoomList {
    private enum Number {
        static let request = 1
        static let rooms = 2
        static let more = 3
    }

    init(parsing bytes: UnsafeRawBufferPointer) throws(FieldError) {
        self.init(request: 0, rooms: [])
        var reader = FieldReader(bytes)
        while let field = try reader.next() {
            switch field {
            case Number.request: request = try reader.uint32()
            case Number.rooms: rooms.append(try Entry(parsing: try reader.body()))
            case Number.more: hasMore = try reader.bool()
            default: try reader.skip()
            }
        }
    }

    func write(to writer: inout ByteWriter) {
        writer.write(Number.request, nonzero: request)
        for room in rooms {
            writer.write(message: Number.rooms) { writer in room.write(to: &writer) }
        }
        writer.write(Number.more, true: hasMore)
    }
}

extension RoomList.Entry {
    /// The most bytes that its numbers and lengths take.
    static let numberBytes = 22

    private enum Number {
        static let name = 1
        static let revision = 2
        static let members = 3
    }

    init(parsing bytes: UnsafeRawBufferPointer) throws(FieldError) {
        var name: RoomName?
        var revision: Revision = 0
        var members: UInt32 = 0
        var reader = FieldReader(bytes)
        while let field = try reader.next() {
            switch field {
            case Number.name: name = try reader.roomName()
            case Number.revision: revision = try reader.number()
            case Number.members: members = try reader.uint32()
            default: try reader.skip()
            }
        }
        guard let name else { throw .malformed }
        self.init(name: name, revision: revision, members: members)
    }

    func write(to writer: inout ByteWriter) {
        writer.write(Number.name, nonempty: name.text)
        writer.write(Number.revision, nonzero: revision)
        writer.write(Number.members, nonzero: members)
    }
}
