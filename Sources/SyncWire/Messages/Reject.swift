import SyncBytes
package import SyncModel

/// A transaction was refused and has changed nothing.
package struct Reject: Sendable, Equatable {
    package var room: RoomHandle
    package var counter: UInt64
    package var rejection: Rejection

    package init(room: RoomHandle, counter: UInt64, rejection: Rejection) {
        self.room = room
        self.counter = counter
        self.rejection = rejection
    }
}

extension Reject {
    private enum Number {
        static let room = 1
        static let counter = 2
        static let rejection = 3
    }

    init(parsing bytes: UnsafeRawBufferPointer) throws(FieldError) {
        var room: RoomHandle = 0
        var counter: UInt64 = 0
        var rejection: Rejection?
        var reader = FieldReader(bytes)
        while let field = try reader.next() {
            switch field {
            case Number.room: room = try reader.uint32()
            case Number.counter: counter = try reader.uint64()
            case Number.rejection: rejection = try Rejection(fields: try reader.body())
            default: try reader.skip()
            }
        }
        guard let rejection else { throw .malformed }
        self.init(room: room, counter: counter, rejection: rejection)
    }

    func write(to writer: inout ByteWriter) {
        writer.write(Number.room, nonzero: room)
        writer.write(Number.counter, nonzero: counter)
        writer.write(message: Number.rejection) { writer in rejection.write(to: &writer) }
    }
}
