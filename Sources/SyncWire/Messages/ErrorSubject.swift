import SyncBytes

/// What an error is about, if it is not the connection.
package enum ErrorSubject: Sendable, Hashable {
    /// A request, which ends with it.
    case request(RequestID)
    /// The membership in a room, which ends with it.
    case room(RoomHandle)
    /// A transaction, which has no other answer.
    case transaction(UInt64, in: RoomHandle)
    /// A view, which is closed; the serial is that of its last request that the server has read.
    case view(ViewNumber, serial: UInt64 = 0, in: RoomHandle)
    /// A drag of the client's, which is over.
    case drag(DragNumber, in: RoomHandle)
    /// What the member shows others, which stays as it was.
    case presence(in: RoomHandle)

    /// The room that it is about or in.
    package var room: RoomHandle? {
        switch self {
        case .request: nil
        case .room(let room), .transaction(_, let room), .view(_, _, let room),
            .drag(_, let room), .presence(let room):
            room
        }
    }

    /// The same subject in the room of another handle.
    package func readdressed(to room: RoomHandle) -> ErrorSubject {
        switch self {
        case .request: self
        case .room: .room(room)
        case .transaction(let counter, _): .transaction(counter, in: room)
        case .view(let view, let serial, _): .view(view, serial: serial, in: room)
        case .drag(let drag, _): .drag(drag, in: room)
        case .presence: .presence(in: room)
        }
    }
}

extension ErrorSubject {
    private enum Number {
        static let request = 4
        static let room = 5
        static let transaction = 6
        static let view = 7
        static let drag = 8
        static let presence = 9
    }

    /// Reads the reader's current field of an ``ErrorMessage``; `nil` if it is no subject.
    init?(_ field: Int, _ reader: inout FieldReader) throws(FieldError) {
        switch field {
        case Number.request: self = .request(try reader.uint32())
        case Number.room: self = .room(try reader.uint32())
        case Number.transaction:
            let (room, counter, _) = try ErrorSubject.numbers(try reader.body())
            self = .transaction(counter, in: room)
        case Number.view:
            let (room, view, serial) = try ErrorSubject.numbers(try reader.body())
            guard let number = ViewNumber(exactly: view) else { throw .malformed }
            self = .view(number, serial: serial, in: room)
        case Number.drag:
            let (room, drag, _) = try ErrorSubject.numbers(try reader.body())
            guard let number = DragNumber(exactly: drag) else { throw .malformed }
            self = .drag(number, in: room)
        case Number.presence: self = .presence(in: try reader.uint32())
        default: return nil
        }
    }

    func write(to writer: inout ByteWriter) {
        switch self {
        case .request(let request): writer.write(field: Number.request, varint: UInt64(request))
        case .room(let room): writer.write(field: Number.room, varint: UInt64(room))
        case .transaction(let counter, let room):
            writer.write(message: Number.transaction) { ErrorSubject.write(room, counter, to: &$0) }
        case .view(let view, let serial, let room):
            writer.write(message: Number.view) { writer in
                ErrorSubject.write(room, UInt64(view), to: &writer)
                writer.write(3, nonzero: serial)
            }
        case .drag(let drag, let room):
            writer.write(message: Number.drag) { ErrorSubject.write(room, UInt64(drag), to: &$0) }
        case .presence(let room): writer.write(field: Number.presence, varint: UInt64(room))
        }
    }

    /// The numbers of a subject in a room, which have the same fields in all subjects' messages.
    private static func numbers(
        _ bytes: UnsafeRawBufferPointer
    ) throws(FieldError) -> (room: RoomHandle, number: UInt64, serial: UInt64) {
        var (room, number, serial) = (0 as RoomHandle, 0 as UInt64, 0 as UInt64)
        var reader = FieldReader(bytes)
        while let field = try reader.next() {
            switch field {
            case 1: room = try reader.uint32()
            case 2: number = try reader.uint64()
            case 3: serial = try reader.uint64()
            default: try reader.skip()
            }
        }
        return (room, number, serial)
    }

    private static func write(_ room: RoomHandle, _ number: UInt64, to writer: inout ByteWriter) {
        writer.write(1, nonzero: room)
        writer.write(2, nonzero: number)
    }
}
