import SyncBytes

/// A request is finished: all that it asked for was done or has been sent.
package struct Done: Sendable, Equatable {
    package var request: RequestID

    package init(request: RequestID) {
        self.request = request
    }
}

extension Done {
    init(parsing bytes: UnsafeRawBufferPointer) throws(FieldError) {
        self.init(request: try ListRooms(parsing: bytes).request)
    }

    func write(to writer: inout ByteWriter) {
        ListRooms(request: request).write(to: &writer)
    }
}
