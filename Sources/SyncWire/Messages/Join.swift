import SyncBytes
package import SyncModel

/// Becomes a member of a room, for the first time or again after a lost connection. The answer is
/// ``Joined``, then a snapshot or the batches since ``from``.
package struct Join: Sendable, Equatable {
    package var request: RequestID
    package var room: RoomName
    /// The author of what this member submits.
    package var client: Identifier
    /// Proves at a later join that the client id is this client's: up to 64 bytes.
    package var secret: [UInt8]
    /// The revision that the client has, if any.
    package var from: Revision?
    /// Each revision is to come as a batch of its own.
    package var everyRevision: Bool
    /// The member gets no batches of the room, only updates of its views.
    package var viewOnly: Bool
    /// The member sees the other members that want presence, too, and is seen by them.
    package var presence: Bool
    /// The room and epoch that ``from``, or the client's last content, belongs to.
    package var origin: Origin?
    /// The greatest counter that the client has sent in the room; 0 if none.
    package var counter: UInt64
    /// All transactions up to this counter are answered; `nil` if ``Joined`` is to have no answers.
    package var answeredThrough: UInt64?
    /// The member gets the authors of its batches' changes.
    package var authors: Bool

    package static let maximumSecretBytes = 64

    package init(
        request: RequestID, room: RoomName, client: Identifier, secret: [UInt8] = [],
        from: Revision? = nil, everyRevision: Bool = false, viewOnly: Bool = false,
        presence: Bool = false, origin: Origin? = nil, counter: UInt64 = 0,
        answeredThrough: UInt64? = nil, authors: Bool = false
    ) {
        self.request = request
        self.room = room
        self.client = client
        self.secret = secret
        self.from = from
        self.everyRevision = everyRevision
        self.viewOnly = viewOnly
        self.presence = presence
        self.origin = origin
        self.counter = counter
        self.answeredThrough = answeredThrough
        self.authors = authors
    }
}

extension Join {
    private enum Number {
        static let request = 1
        static let room = 2
        static let client = 3
        static let secret = 4
        static let from = 5
        static let everyRevision = 6
        static let viewOnly = 7
        static let presence = 8
        static let origin = 9
        static let counter = 10
        static let answeredThrough = 11
        static let authors = 12
    }

    init(parsing bytes: UnsafeRawBufferPointer) throws(FieldError) {
        var request: RequestID = 0
        var room: RoomName?
        var client: Identifier?
        var secret: [UInt8] = []
        var from: Revision?
        var everyRevision = false
        var viewOnly = false
        var presence = false
        var fault: ContentFault?
        var numberFault: ContentFault?
        var isSecretTooLong = false
        var origin: Origin?
        var counter: UInt64 = 0
        var answeredThrough: UInt64?
        var authors = false
        var reader = FieldReader(bytes)
        while let field = try reader.next() {
            switch field {
            case Number.request: request = try reader.uint32()
            case Number.room: room = try reader.roomName()
            case Number.client: client = try reader.identifier(noting: &fault)
            case Number.secret:
                let bytes = try reader.body()
                isSecretTooLong = bytes.count > Join.maximumSecretBytes
                secret = isSecretTooLong ? [] : [UInt8](bytes)
            case Number.from: from = try reader.number(noting: &numberFault)
            case Number.everyRevision: everyRevision = try reader.bool()
            case Number.viewOnly: viewOnly = try reader.bool()
            case Number.presence: presence = try reader.bool()
            case Number.origin: origin = try Origin(parsing: try reader.body())
            case Number.counter: counter = try reader.number(noting: &numberFault)
            case Number.answeredThrough:
                answeredThrough = try reader.number(noting: &numberFault)
            case Number.authors: authors = try reader.bool()
            default: try reader.skip()
            }
        }
        guard let client else {
            let explanation = (fault ?? ContentFault(.badIdentifier)).explanation
            throw .refused(.request(request), .badContent, "the client id: \(explanation)")
        }
        try numberFault?.refuse(request)
        guard !isSecretTooLong else {
            throw .refused(
                .request(request), .limitExceeded,
                "a secret has at most \(Join.maximumSecretBytes) bytes")
        }
        self.init(
            request: request, room: try room.orRefuse(request), client: client,
            secret: secret, from: from, everyRevision: everyRevision, viewOnly: viewOnly,
            presence: presence, origin: origin, counter: counter,
            answeredThrough: answeredThrough, authors: authors)
    }

    func write(to writer: inout ByteWriter) {
        writer.write(Number.request, nonzero: request)
        writer.write(Number.room, nonempty: room.text)
        writer.write(Number.client, client)
        writer.write(Number.secret, nonempty: secret)
        if let from { writer.write(field: Number.from, varint: from) }
        writer.write(Number.everyRevision, true: everyRevision)
        writer.write(Number.viewOnly, true: viewOnly)
        writer.write(Number.presence, true: presence)
        origin?.write(Number.origin, to: &writer)
        writer.write(Number.counter, nonzero: counter)
        if let answeredThrough {
            writer.write(field: Number.answeredThrough, varint: answeredThrough)
        }
        writer.write(Number.authors, true: authors)
    }
}

extension ContentFault {
    /// Refuses the request that it was found in.
    func refuse(_ request: RequestID) throws(FieldError) {
        throw .refused(.request(request), .badContent, explanation)
    }
}

extension RoomName? {
    /// The name in a request; one without a name is refused.
    func orRefuse(_ request: RequestID) throws(FieldError) -> RoomName {
        guard let self else {
            throw .refused(
                .request(request), .badRoomName,
                "a room's name is 1 to \(Identifier.maximumLength) bytes of UTF-8 without control "
                    + "characters and '/'")
        }
        return self
    }
}
