import SyncBytes
package import SyncModel

/// Asks for some items of a room at its newest or an earlier revision. ``Items`` answer, then
/// ``Done``.
package struct ReadItems: Sendable, Equatable {
    package var request: RequestID
    package var room: RoomName
    /// The revision, if not the newest.
    package var revision: Revision?
    /// The room and epoch that the revision belongs to, if the client knows.
    package var origin: Origin?
    package var query: ItemQuery

    package init(
        request: RequestID, room: RoomName, revision: Revision? = nil, origin: Origin? = nil,
        _ query: ItemQuery
    ) {
        self.request = request
        self.room = room
        self.revision = revision
        self.origin = origin
        self.query = query
    }
}

extension ReadItems {
    private enum Number {
        static let request = 1
        static let room = 2
        static let revision = 3
        static let origin = 4
        static let limit = 5
        static let page = 6
        static let search = 7
        static let these = 8
    }

    init(parsing bytes: UnsafeRawBufferPointer) throws(FieldError) {
        var request: RequestID = 0
        var room: RoomName?
        var revision: Revision?
        var origin: Origin?
        var limit = 0
        var part: ItemQuery.Part?
        var faults = Faults()
        var reader = FieldReader(bytes)
        while let field = try reader.next() {
            switch field {
            case Number.request: request = try reader.uint32()
            case Number.room: room = try reader.roomName()
            case Number.revision: revision = try reader.number(noting: &faults.content)
            case Number.origin: origin = try Origin(parsing: try reader.body())
            case Number.limit: limit = try reader.index()
            case Number.page:
                part = try ItemQuery.Part(page: try reader.body(), noting: &faults)
            case Number.search:
                part = try ItemQuery.Part(search: try reader.body(), noting: &faults)
            case Number.these:
                part = try ItemQuery.Part(these: try reader.body(), noting: &faults)
            default: try reader.skip()
            }
        }
        if !(1...ItemQuery.mostItems).contains(limit) { faults.noteLimit() }
        if faults.hasTooManyIDs {
            throw .refused(
                .request(request), .limitExceeded,
                "a request names at most \(ItemQuery.mostItems) items")
        }
        try faults.content?.refuse(request)
        guard let part else {
            throw .refused(
                .request(request), .unsupported, "the request does not say which items")
        }
        self.init(
            request: request, room: try room.orRefuse(request), revision: revision,
            origin: origin, ItemQuery(part, limit: limit))
    }

    func write(to writer: inout ByteWriter) {
        writer.write(Number.request, nonzero: request)
        writer.write(Number.room, nonempty: room.text)
        if let revision { writer.write(field: Number.revision, varint: revision) }
        origin?.write(Number.origin, to: &writer)
        writer.write(Number.limit, index: query.limit)
        switch query.part {
        case .page(let section, let after):
            writer.write(message: Number.page) { writer in
                if let section { writer.write(1, section) }
                if let after { writer.write(2, after) }
            }
        case .search(let text, let section, let after):
            writer.write(message: Number.search) { writer in
                writer.write(1, nonempty: text.text)
                if let section { writer.write(2, section) }
                if let after { writer.write(3, after) }
            }
        case .these(let ids):
            writer.write(message: Number.these) { writer in
                for id in ids { writer.write(1, id) }
            }
        }
    }
}

/// What is wrong in a request for items that is readable otherwise.
private struct Faults {
    var content: ContentFault?
    var idCount = 0

    var hasTooManyIDs: Bool { idCount > ItemQuery.mostItems }

    mutating func noteLimit() {
        content = content ?? ContentFault("the limit is 1 to \(ItemQuery.mostItems) items")
    }

    mutating func noteText() {
        content =
            content ?? ContentFault("a text to search for has 1 to \(SearchText.mostBytes) bytes")
    }
}

extension FieldReader {
    /// A name, if it is not left out.
    fileprivate mutating func name(
        noting faults: inout Faults
    ) throws(FieldError) -> Identifier? {
        let bytes = try body()
        if bytes.isEmpty { return nil }
        do throws(ModelError) { return try Identifier(bytes: bytes) } catch {
            faults.content = faults.content ?? ContentFault(error)
            return nil
        }
    }
}

extension ItemQuery.Part {
    fileprivate init(
        page bytes: UnsafeRawBufferPointer, noting faults: inout Faults
    ) throws(FieldError) {
        var (section, after) = (nil as Identifier?, nil as Identifier?)
        var reader = FieldReader(bytes)
        while let field = try reader.next() {
            switch field {
            case 1: section = try reader.name(noting: &faults)
            case 2: after = try reader.name(noting: &faults)
            default: try reader.skip()
            }
        }
        self = .page(in: section, after: after)
    }

    /// - Returns: `nil`, with a fault, if there is no text to search for.
    fileprivate init?(
        search bytes: UnsafeRawBufferPointer, noting faults: inout Faults
    ) throws(FieldError) {
        var text: SearchText?
        var (section, after) = (nil as Identifier?, nil as Identifier?)
        var reader = FieldReader(bytes)
        while let field = try reader.next() {
            switch field {
            case 1: text = SearchText(bytes: try reader.body())
            case 2: section = try reader.name(noting: &faults)
            case 3: after = try reader.name(noting: &faults)
            default: try reader.skip()
            }
        }
        guard let text else {
            faults.noteText()
            return nil
        }
        self = .search(text, in: section, after: after)
    }

    fileprivate init(
        these bytes: UnsafeRawBufferPointer, noting faults: inout Faults
    ) throws(FieldError) {
        var ids: [Identifier] = []
        var reader = FieldReader(bytes)
        while let field = try reader.next() {
            guard field == 1, !faults.hasTooManyIDs else {
                try reader.skip()
                continue
            }
            if let id = try reader.identifier(noting: &faults.content) { ids.append(id) }
            faults.idCount += 1
        }
        self = .these(ids)
    }
}
