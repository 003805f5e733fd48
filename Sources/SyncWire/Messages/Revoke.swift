import SyncBytes
package import SyncModel

/// Takes access back before tokens expire. Answered by ``Done``, when it holds everywhere.
package struct Revoke: Sendable, Equatable {
    package enum Subject: Sendable, Equatable {
        /// A token, by its id.
        case token(Identifier)
        /// All tokens of a user that were issued until now.
        case user(Identifier)
        /// A user's role in one room, by all tokens that were issued until now.
        case role(of: Identifier, in: RoomName)
        /// All tokens that a key has signed.
        case key(Identifier)
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
        static let role = 6
    }

    init(parsing bytes: UnsafeRawBufferPointer) throws(FieldError) {
        var request: RequestID = 0
        var subject: Subject?
        var reader = FieldReader(bytes)
        while let field = try reader.next() {
            switch field {
            case Number.request: request = try reader.uint32()
            case Number.token: subject = try reader.name().map { .token($0) }
            case Number.user: subject = try reader.name().map { .user($0) }
            case Number.key: subject = try reader.name().map { .key($0) }
            case Number.all: subject = try reader.bool() ? .all : nil
            case Number.role: subject = try Subject(roleIn: try reader.body())
            default: try reader.skip()
            }
        }
        guard let subject else {
            throw .refused(
                .request(request), .badContent,
                "a revocation names a token, a user, a user and a room, or a key, of 1 to"
                    + " \(Identifier.maximumLength) bytes without control characters, or all")
        }
        self.init(request: request, subject)
    }

    func write(to writer: inout ByteWriter) {
        writer.write(Number.request, nonzero: request)
        switch subject {
        case .token(let id): writer.write(Number.token, id)
        case .user(let name): writer.write(Number.user, name)
        case .key(let id): writer.write(Number.key, id)
        case .all: writer.write(Number.all, true: true)
        case .role(let name, let room):
            writer.write(message: Number.role) { writer in
                writer.write(RoleInRoom.user, name)
                writer.write(field: RoleInRoom.room, utf8Of: room.text)
            }
        }
    }
}

private enum RoleInRoom {
    static let user = 1
    static let room = 2
}

extension Revoke.Subject {
    /// Reads a user and a room; `nil` if one of them is missing, or can't be one.
    fileprivate init?(roleIn bytes: UnsafeRawBufferPointer) throws(FieldError) {
        var (user, room): (Identifier?, RoomName?)
        var reader = FieldReader(bytes)
        while let field = try reader.next() {
            switch field {
            case RoleInRoom.user: user = try reader.name()
            case RoleInRoom.room: room = RoomName(bytes: try reader.body())
            default: try reader.skip()
            }
        }
        guard let user, let room else { return nil }
        self = .role(of: user, in: room)
    }
}

extension FieldReader {
    /// A name; `nil` if the bytes can't be one.
    fileprivate mutating func name() throws(FieldError) -> Identifier? {
        try? Identifier(bytes: try body())
    }
}
