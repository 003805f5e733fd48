import SyncBytes

/// Something is wrong with the connection, a request or a room. Transactions have ``Reject``.
package struct ErrorMessage: Sendable, Equatable {
    package var code: ErrorCode
    /// What is wrong and what to do, for people.
    package var text: String
    /// Whether the same may work later, unchanged.
    package var retry: Bool
    /// What it is about; the connection, if nothing is named.
    package var channel: Channel?
    /// Of a room, the view that it is about: that view is closed.
    package var view: ViewNumber?
    /// Of a room, the client's drag that it is about: that drag is over.
    package var drag: DragNumber?
    /// Of a view, the last of its requests that the server had read.
    package var serial: UInt64

    package init(
        _ code: ErrorCode, _ text: String, channel: Channel? = nil, view: ViewNumber? = nil,
        drag: DragNumber? = nil, serial: UInt64 = 0
    ) {
        self.code = code
        self.text = text
        self.retry = code.retry
        self.channel = channel
        self.view = view
        self.drag = drag
        self.serial = serial
    }
}

extension ErrorMessage {
    private enum Number {
        static let code = 1
        static let text = 2
        static let retry = 3
        static let request = 4
        static let room = 5
        static let view = 6
        static let drag = 7
        static let serial = 8
    }

    init(parsing bytes: UnsafeRawBufferPointer) throws(FieldError) {
        self.init(.unknown, "")
        retry = false
        var reader = FieldReader(bytes)
        while let field = try reader.next() {
            switch field {
            case Number.code: code = ErrorCode(number: try reader.uint32())
            case Number.text: text = try reader.text()
            case Number.retry: retry = try reader.bool()
            case Number.request: channel = .request(try reader.uint32())
            case Number.room: channel = .room(try reader.uint32())
            case Number.view: view = try reader.uint32()
            case Number.drag: drag = try reader.uint32()
            case Number.serial: serial = try reader.uint64()
            default: try reader.skip()
            }
        }
    }

    func write(to writer: inout ByteWriter) {
        writer.write(Number.code, nonzero: code.number)
        writer.write(Number.text, nonempty: text)
        writer.write(Number.retry, true: retry)
        switch channel {
        case .request(let request): writer.write(field: Number.request, varint: UInt64(request))
        case .room(let room): writer.write(field: Number.room, varint: UInt64(room))
        case nil: break
        }
        if let view { writer.write(field: Number.view, varint: UInt64(view)) }
        if let drag { writer.write(field: Number.drag, varint: UInt64(drag)) }
        writer.write(Number.serial, nonzero: serial)
    }
}
