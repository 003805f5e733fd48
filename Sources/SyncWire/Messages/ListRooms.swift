import SyncBytes

/// Asks which rooms there are. ``RoomList`` answers.
package struct ListRooms: Sendable, Equatable {
    package var request: RequestID

    package init(request: RequestID) {
        self.request = request
    }
}

extension ListRooms {
    private static let requestNumber = 1

    init(parsing bytes: UnsafeRawBufferPointer) throws(FieldError) {
        self.init(request: 0)
        var reader = FieldReader(bytes)
        while let field = try reader.next() {
            switch field {
            case ListRooms.requestNumber: request = try reader.uint32()
            default: try reader.skip()
            }
        }
    }

    func write(to writer: inout ByteWriter) {
        writer.write(ListRooms.requestNumber, nonzero: request)
    }
}
