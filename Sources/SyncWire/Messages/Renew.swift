package import SyncBytes

/// Shows a new token before the connection's token expires. The answer is ``Renewed``.
package struct Renew: Sendable {
    package var request: RequestID
    package var token: ForeignText

    package init(request: RequestID, token: String) {
        self.request = request
        self.token = ForeignText(bounded: token)
    }
}

extension Renew: Equatable {
    package static func == (left: Renew, right: Renew) -> Bool {
        left.request == right.request && left.token.isSame(as: right.token)
    }
}

extension Renew {
    private enum Number {
        static let request = 1
        static let token = 2
    }

    init(parsing bytes: UnsafeRawBufferPointer) throws(FieldError) {
        self.init(request: 0, token: "")
        var isToken = true
        var reader = FieldReader(bytes)
        while let field = try reader.next() {
            switch field {
            case Number.request: request = try reader.uint32()
            case Number.token:
                let known = try reader.token()
                isToken = known != nil
                token = known ?? token
            default: try reader.skip()
            }
        }
        guard isToken else {
            throw .refused(.request(request), .badToken, FieldReader.badToken)
        }
    }

    func write(to writer: inout ByteWriter) {
        writer.write(Number.request, nonzero: request)
        writer.write(Number.token, nonempty: token.shown)
    }
}
