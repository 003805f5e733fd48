import SyncBytes

/// Something is wrong with the connection, a request or a room. Transactions have ``Reject``.
package struct ErrorMessage: Sendable, Equatable {
    package var code: ErrorCode
    /// What is wrong and what to do, for people.
    package var text: String
    /// Whether the same message may succeed later, unchanged.
    package var retry: Bool
    /// In how many milliseconds it may succeed; 0 if that is not known.
    package var retryAfterMilliseconds: UInt32
    /// What it is about; `nil` for the connection.
    package var subject: ErrorSubject?

    package init(
        _ code: ErrorCode, _ text: String, about subject: ErrorSubject? = nil,
        retryAfterMilliseconds: UInt32 = 0
    ) {
        self.code = code
        self.text = text
        self.retry = code.retry
        self.retryAfterMilliseconds = retryAfterMilliseconds
        self.subject = subject
    }
}

extension ErrorMessage {
    private enum Number {
        static let code = 1
        static let text = 2
        static let retry = 3
        static let retryAfterMilliseconds = 10
    }

    init(parsing bytes: UnsafeRawBufferPointer) throws(FieldError) {
        self.init(.unknown, "")
        retry = false
        var reader = FieldReader(bytes)
        while let field = try reader.next() {
            switch field {
            case Number.code: code = ErrorCode(number: try reader.uint32())
            case Number.text: text = try reader.sentence().shown
            case Number.retry: retry = try reader.bool()
            case Number.retryAfterMilliseconds:
                retryAfterMilliseconds = try reader.uint32()
            default:
                if let subject = try ErrorSubject(field, &reader) {
                    self.subject = subject
                } else {
                    try reader.skip()
                }
            }
        }
    }

    func write(to writer: inout ByteWriter) {
        writer.write(Number.code, nonzero: code.number)
        writer.write(Number.text, nonempty: text)
        writer.write(Number.retry, true: retry)
        subject?.write(to: &writer)
        writer.write(Number.retryAfterMilliseconds, nonzero: retryAfterMilliseconds)
    }
}
