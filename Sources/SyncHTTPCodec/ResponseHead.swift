package import SyncBytes

/// The status line and the header fields of an HTTP/1.1 response.
package struct ResponseHead: Sendable {
    package var status: Int
    package var fields: HTTPFields

    package init(_ status: Int, _ fields: HTTPFields = HTTPFields()) {
        self.status = status
        self.fields = fields
    }

    /// Writes the head with its empty line.
    ///
    /// - Returns: `false` if a field or the status is invalid, and then nothing is written. So text
    ///   from outside can't add fields or bodies.
    package func write(to writer: inout ByteWriter) -> Bool {
        guard (100...999).contains(status), fields.isValid else { return false }
        writer.write(utf8Of: "HTTP/1.1 ")
        writer.write(utf8Of: String(status))
        writer.write(utf8Of: " ")
        writer.write(utf8Of: ResponseHead.reason(of: status))
        writer.write(utf8Of: "\r\n")
        fields.write(to: &writer)
        return true
    }

    /// The phrase behind a status, for people.
    package static func reason(of status: Int) -> String {
        reasons[status] ?? ""
    }

    private static let reasons = [
        100: "Continue", 101: "Switching Protocols", 200: "OK", 201: "Created", 202: "Accepted",
        204: "No Content", 206: "Partial Content", 304: "Not Modified", 308: "Permanent Redirect",
        400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found",
        405: "Method Not Allowed", 406: "Not Acceptable", 408: "Request Timeout", 409: "Conflict",
        410: "Gone", 411: "Length Required", 412: "Precondition Failed", 413: "Content Too Large",
        414: "URI Too Long", 415: "Unsupported Media Type", 416: "Range Not Satisfiable",
        417: "Expectation Failed", 421: "Misdirected Request", 422: "Unprocessable Content",
        426: "Upgrade Required", 428: "Precondition Required", 429: "Too Many Requests",
        431: "Request Header Fields Too Large", 500: "Internal Server Error",
        501: "Not Implemented", 503: "Service Unavailable", 505: "HTTP Version Not Supported",
    ]
}

extension RequestHead {
    /// Writes the head with its empty line, as HTTP/1.1.
    ///
    /// - Returns: `false` if something in it is invalid, and then nothing is written.
    package func write(to writer: inout ByteWriter) -> Bool {
        let isTarget = target.utf8.allSatisfy { (0x21...0x7E).contains($0) } && !target.isEmpty
        guard HTTPFields.isToken(method), isTarget, fields.isValid else { return false }
        writer.write(utf8Of: "\(method) \(target) HTTP/1.1\r\n")
        fields.write(to: &writer)
        return true
    }
}

extension HTTPFields {
    /// Whether names and values have no character that would end them.
    package var isValid: Bool {
        all.allSatisfy { HTTPFields.isToken($0.name) && HTTPFields.isValue($0.value.shown) }
    }

    /// Whether text is a token (RFC 9110, 5.6.2), as names and methods are.
    static func isToken(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy(isTokenByte)
    }

    static func isTokenByte(_ byte: UInt8) -> Bool {
        switch Unicode.Scalar(byte) {
        case "0"..."9", "A"..."Z", "a"..."z": true
        case "!", "#", "$", "%", "&", "'", "*", "+", "-", ".", "^", "_", "`", "|", "~": true
        default: false
        }
    }

    /// Whether text has no control characters but tabs.
    private static func isValue(_ text: String) -> Bool {
        text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
    }

    fileprivate func write(to writer: inout ByteWriter) {
        for field in all {
            writer.write(utf8Of: field.name)
            writer.write(utf8Of: ": ")
            write(value: field.value.shown, to: &writer)
            writer.write(utf8Of: "\r\n")
        }
        writer.write(utf8Of: "\r\n")
    }

    /// Writes each character of Latin-1 as the byte that it was read from.
    private func write(value: String, to writer: inout ByteWriter) {
        if value.utf8.allSatisfy({ $0 < 0x80 }) { return writer.write(utf8Of: value) }
        for scalar in value.unicodeScalars {
            if let byte = UInt8(exactly: scalar.value) {
                writer.write(byte: byte)
            } else {
                writer.write(utf8Of: String(scalar))
            }
        }
    }
}

/// The framing of a body in chunks (RFC 9112, 7.1). Each chunk is a header, its data, and an end.
package enum Chunk {
    /// Writes what comes before the data.
    ///
    /// - Parameter count: the bytes of the data, at least one: nothing would end the body.
    package static func writeHeader(ofDataWith count: Int, to writer: inout ByteWriter) {
        precondition(count > 0, "an empty chunk ends the body")
        writer.write(utf8Of: String(count, radix: 16))
        writer.write(utf8Of: "\r\n")
    }

    /// What comes behind the data.
    package static func writeEnd(to writer: inout ByteWriter) {
        writer.write(utf8Of: "\r\n")
    }

    /// What comes behind the last chunk.
    package static func writeLast(to writer: inout ByteWriter) {
        writer.write(utf8Of: "0\r\n\r\n")
    }
}
