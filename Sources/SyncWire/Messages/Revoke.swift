import SyncBytes
import SyncModel

/// Takes access back before tokens expire. Answered by ``Done``, when it holds everywhere.
package struct Revoke: Sendable, Equatable {
    package enum Subject: Sendable, Equatable {
        /// A token, by its id.
        case token(String)
        /// All tokens of a user that were issued until now.
        case user(String)
        /// All tokens that a key has signed.
        case key(String)
        /// All tokens that were issued until now.
        case all
    }

    package var request: RequestID
    package var subject: Subject

    package init(request: RequestID, _ subject: Subject) {
        self.request = request
        self.subject = subject
    }
}

extension Revoke {
    private enum Number {
        static let request = 1
        static let token = 2
        static let user = 3
        static let key = 4
        static let all = 5
    }

    init(parsing bytes: UnsafeRawBufferPointer) throws(FieldError) {
        var request: RequestID = 0
        var subject: Subject?
        var reader = FieldReader(bytes)
        while let field = try reader.next() {
            switch field {
            case Number.request: request = try reader.uint32()
            case Number.token: subject = .token(try reader.text())
            case Number.user: subject = .user(try reader.text())
            case Number.key: subject = .key(try reader.text())
            case Number.all: subject = try reader.bool() ? .all : nil
            default: try reader.skip()
            }
        }
        guard let subject, subject.isName else {
            throw .refused(
                .request(request), .badContent,
                "a revocation names a token, a user or a key, of 1 to \(Identifier.maximumLength) bytes"
                    + " without control characters, or all")
        }
        self.init(request: request, subject)
    }

    func write(to writer: inout ByteWriter) {
        writer.write(Number.request, nonzero: request)
        switch subject {
        case .token(let id): writer.write(Number.token, nonempty: id)
        case .user(let name): writer.write(Number.user, nonempty: name)
        case .key(let id): writer.write(Number.key, nonempty: id)
        case .all: writer.write(Number.all, true: true)
        }
    }
}

extension Revoke.Subject {
    /// Whether its name, if it has one, can be one.
    fileprivate var isName: Bool {
        switch self {
        case .token(let name), .user(let name), .key(let name): (try? Identifier(name)) != nil
        case .all: true
        }
    }
}
