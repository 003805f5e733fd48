import SyncBytes
package import SyncModel

/// A sign of life. A client's also has its revision of each of its rooms, so that the server can
/// forget older history.
package struct Heartbeat: Sendable, Equatable {
    /// The revision that the client has of one room.
    package struct Entry: Sendable, Equatable {
        package var room: RoomHandle
        package var revision: Revision
        /// The room and epoch that the revision belongs to. Without it the entry has no effect.
        package var origin: Origin?

        package init(room: RoomHandle, revision: Revision, origin: Origin? = nil) {
            self.room = room
            self.revision = revision
            self.origin = origin
        }
    }

    /// Empty in a server's heartbeat.
    package var rooms: [Entry]

    package init(rooms: [Entry] = []) {
        self.rooms = rooms
    }
}

extension Heartbeat {
    private enum Number {
        static let rooms = 1
        static let room = 1
        static let revision = 2
        static let origin = 3
    }

    /// - Parameter maximumRooms: how many rooms it may name.
    init(parsing bytes: UnsafeRawBufferPointer, maximumRooms: Int) throws(FieldError) {
        self.init()
        var reader = FieldReader(bytes)
        while let field = try reader.next() {
            switch field {
            case Number.rooms:
                guard rooms.count < maximumRooms else {
                    throw .limit("a heartbeat names more than \(maximumRooms) rooms")
                }
                rooms.append(try Entry(parsing: try reader.body()))
            default: try reader.skip()
            }
        }
    }

    func write(to writer: inout ByteWriter) {
        for entry in rooms {
            writer.write(message: Number.rooms) { writer in
                writer.write(Number.room, nonzero: entry.room)
                writer.write(Number.revision, nonzero: entry.revision)
                entry.origin?.write(Number.origin, to: &writer)
            }
        }
    }
}

extension Heartbeat.Entry {
    init(parsing bytes: UnsafeRawBufferPointer) throws(FieldError) {
        self.init(room: 0, revision: 0)
        var reader = FieldReader(bytes)
        while let field = try reader.next() {
            switch field {
            case Heartbeat.Number.room: room = try reader.uint32()
            case Heartbeat.Number.revision: revision = try reader.uint64()
            case Heartbeat.Number.origin: origin = try Origin(parsing: try reader.body())
            default: try reader.skip()
            }
        }
    }
}
