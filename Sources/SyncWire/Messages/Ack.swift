import SyncBytes
package import SyncModel

/// A transaction was accepted and is on disk.
package struct Ack: Sendable, Equatable {
    package var room: RoomHandle
    package var counter: UInt64
    package var commit: Commit

    package init(room: RoomHandle, counter: UInt64, commit: Commit) {
        self.room = room
        self.counter = counter
        self.commit = commit
    }
}

extension Ack {
    private enum Number {
        static let room = 1
        static let counter = 2
        static let revision = 3
        static let superseded = 4
    }

    init(parsing bytes: UnsafeRawBufferPointer) throws(FieldError) {
        self.init(room: 0, counter: 0, commit: Commit(revision: 0))
        var reader = FieldReader(bytes)
        while let field = try reader.next() {
            switch field {
            case Number.room: room = try reader.uint32()
            case Number.counter: counter = try reader.number()
            case Number.revision: commit.revision = try reader.number()
            case Number.superseded:
                commit.superseded.append(try Superseded(fields: try reader.body()))
            default: try reader.skip()
            }
        }
    }

    func write(to writer: inout ByteWriter) {
        Ack.write(room: room, counter: counter, revision: commit.revision, to: &writer)
        for lost in commit.superseded {
            writer.write(message: Number.superseded) { writer in lost.write(to: &writer) }
        }
    }

    @inline(__always)
    static func write(
        room: RoomHandle, counter: UInt64, revision: Revision, to writer: inout ByteWriter
    ) {
        writer.write(Number.room, nonzero: room)
        writer.write(Number.counter, nonzero: counter)
        writer.write(Number.revision, nonzero: revision)
    }
}
