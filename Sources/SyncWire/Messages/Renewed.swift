import SyncBytes

/// The answer to a ``Renew``: the connection has the new token now.
package struct Renewed: Sendable, Equatable {
    package var request: RequestID
    /// After how many milliseconds the token expires.
    package var tokenMilliseconds: UInt64

    package init(request: RequestID, tokenMilliseconds: UInt64) {
        self.request = request
        self.tokenMilliseconds = tokenMilliseconds
    }
}

extension Renewed {
    private enum Number {
        static let request = 1
        static let tokenMilliseconds = 2
    }

    init(parsing bytes: UnsafeRawBufferPointer) throws(FieldError) {
        self.init(request: 0, tokenMilliseconds: 0)
        var reader = FieldReader(bytes)
        while let field = try reader.next() {
            switch field {
            case Number.request: request = try reader.uint32()
            case Number.tokenMilliseconds: tokenMilliseconds = try reader.number()
            default: try reader.skip()
            }
        }
    }

    func write(to writer: inout ByteWriter) {
        writer.write(Number.request, nonzero: request)
        writer.write(Number.tokenMilliseconds, nonzero: tokenMilliseconds)
    }
}
