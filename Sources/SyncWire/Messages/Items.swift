import SyncBytes
package import SyncModel

/// The answer to ``ReadItems``.
package struct Items: Sendable, Equatable {
    /// The id of the section at an index.
    package struct SectionName: Sendable, Equatable {
        package var index: Int
        package var id: Identifier

        package init(index: Int, id: Identifier) {
            self.index = index
            self.id = id
        }
    }

    package var request: RequestID
    /// The revision of which they are.
    package var revision: Revision
    package var origin: Origin?
    /// The sections that the items are in, by ascending index.
    package var sections: [SectionName]
    package var items: [Stage.PlacedItem]
    /// There is more to look at: behind this item, or behind this id of the request.
    package var next: Identifier?

    package init(
        request: RequestID, revision: Revision, origin: Origin?, sections: [SectionName] = [],
        items: [Stage.PlacedItem] = [], next: Identifier? = nil
    ) {
        self.request = request
        self.revision = revision
        self.origin = origin
        self.sections = sections
        self.items = items
        self.next = next
    }
}

extension Items {
    private enum Number {
        static let request = 1
        static let revision = 2
        static let origin = 3
        static let sections = 4
        static let items = 5
        static let next = 6
    }

    init(parsing bytes: UnsafeRawBufferPointer) throws(FieldError) {
        self.init(request: 0, revision: 0, origin: nil)
        var reader = FieldReader(bytes)
        while let field = try reader.next() {
            switch field {
            case Number.request: request = try reader.uint32()
            case Number.revision: revision = try reader.number()
            case Number.origin: origin = try Origin(parsing: try reader.body())
            case Number.sections: sections.append(try SectionName(parsing: try reader.body()))
            case Number.items: items.append(try Stage.PlacedItem(fields: try reader.body()))
            case Number.next: next = try reader.identifier()
            default: try reader.skip()
            }
        }
    }

    func write(to writer: inout ByteWriter) {
        writer.write(Number.request, nonzero: request)
        writer.write(Number.revision, nonzero: revision)
        origin?.write(Number.origin, to: &writer)
        for section in sections {
            writer.write(message: Number.sections) { writer in
                writer.write(1, index: section.index)
                writer.write(2, section.id)
            }
        }
        for item in items { item.write(to: &writer, as: Number.items) }
        if let next { writer.write(Number.next, next) }
    }
}

extension Items.SectionName {
    fileprivate init(parsing bytes: UnsafeRawBufferPointer) throws(FieldError) {
        var index = 0
        var id: Identifier?
        var reader = FieldReader(bytes)
        while let field = try reader.next() {
            switch field {
            case 1: index = try reader.index()
            case 2: id = try reader.identifier()
            default: try reader.skip()
            }
        }
        guard let id else { throw .malformed }
        self.init(index: index, id: id)
    }
}
