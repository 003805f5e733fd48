package import SyncBytes
package import SyncEngine

/// Operations as the protocol's message `Operation`: the same bytes on the wire and in the log.
package enum OperationCoding {
    enum Number {
        static let insert = 1
        static let delete = 2
        static let move = 3
        static let update = 4
        static let increment = 5
        static let insertSection = 6
        static let deleteSection = 7
        static let moveSection = 8
        static let updateSection = 9
    }

    /// Writes an operation's body.
    ///
    /// - Throws: ``ModelError`` for numbers and names that have no place in a room.
    package static func write(
        _ operation: Operation, to writer: inout ByteWriter
    ) throws(ModelError) {
        switch operation {
        case .insert(let item, let placement):
            writer.write(message: Number.insert) { writer in
                writer.write(1, item)
                writer.write(2, placement)
            }
        case .delete(let id): writer.write(Number.delete, operationOn: id)
        case .move(let id, let placement):
            writer.write(message: Number.move) { writer in
                writer.write(1, id)
                writer.write(2, placement)
            }
        case .update(let id, let patch):
            try writer.write(message: Number.update) { (writer) throws(ModelError) in
                writer.write(1, id)
                try patch.write(to: &writer)
            }
        case .increment(let id, let field, let amount):
            guard amount.isFinite else { throw .badNumber }
            writer.write(message: Number.increment) { writer in
                writer.write(1, id)
                writer.write(2, field)
                if amount != 0 { writer.write(field: 3, double: amount) }
            }
        case .insertSection(let section, let placement):
            writer.write(message: Number.insertSection) { writer in
                writer.write(1, section)
                writer.write(2, placement)
            }
        case .deleteSection(let id): writer.write(Number.deleteSection, operationOn: id)
        case .moveSection(let id, let placement):
            writer.write(message: Number.moveSection) { writer in
                writer.write(1, id)
                writer.write(2, placement)
            }
        case .updateSection(let id, let patch):
            try writer.write(message: Number.updateSection) { (writer) throws(ModelError) in
                writer.write(1, id)
                try patch.write(to: &writer)
            }
        }
    }

    /// Reads an operation's body, which may be anything.
    static func read(
        _ bytes: UnsafeRawBufferPointer, limits: WireLimits
    ) throws(FieldError) -> Operation {
        var reader = FieldReader(bytes)
        guard let number = try reader.next() else { throw .malformed }
        let body = try reader.body()
        guard try reader.next() == nil else { throw .malformed }
        return try read(number, body, limits)
    }

    private static func read(
        _ number: Int, _ bytes: UnsafeRawBufferPointer, _ limits: WireLimits
    ) throws(FieldError) -> Operation {
        switch number {
        case Number.update: return try ItemPatch.readUpdate(bytes, limits)
        case Number.updateSection: return try SectionPatch.readUpdate(bytes, limits)
        case Number.increment: return try readIncrement(bytes)
        case Number.insert: return try readInsert(bytes, limits)
        case Number.insertSection: return try readInsertSection(bytes, limits)
        case Number.delete, Number.deleteSection, Number.move, Number.moveSection: break
        default: throw .malformed
        }
        var id: Identifier?
        var placement = Placement()
        let forItem = number == Number.move
        var reader = FieldReader(bytes)
        while let field = try reader.next() {
            switch (field, number) {
            case (1, _): id = try reader.identifier()
            case (2, Number.move), (2, Number.moveSection):
                placement = try Placement(fields: try reader.body(), forItem: forItem)
            default: try reader.skip()
            }
        }
        guard let id else { throw .model(.badIdentifier) }
        switch number {
        case Number.delete: return .delete(id)
        case Number.deleteSection: return .deleteSection(id)
        case Number.move: return .move(id, to: placement)
        default: return .moveSection(id, to: placement)
        }
    }

    private static func readInsert(
        _ bytes: UnsafeRawBufferPointer, _ limits: WireLimits
    ) throws(FieldError) -> Operation {
        var item: Item?
        var placement = Placement()
        var reader = FieldReader(bytes)
        while let field = try reader.next() {
            switch field {
            case 1: item = try reader.item(limits)
            case 2: placement = try Placement(fields: try reader.body(), forItem: true)
            default: try reader.skip()
            }
        }
        guard let item else { throw .model(.badIdentifier) }
        return .insert(item, to: placement)
    }

    private static func readInsertSection(
        _ bytes: UnsafeRawBufferPointer, _ limits: WireLimits
    ) throws(FieldError) -> Operation {
        var section: Section?
        var placement = Placement()
        var reader = FieldReader(bytes)
        while let field = try reader.next() {
            switch field {
            case 1: section = try reader.section(limits)
            case 2: placement = try Placement(fields: try reader.body(), forItem: false)
            default: try reader.skip()
            }
        }
        guard let section else { throw .model(.badIdentifier) }
        return .insertSection(section, to: placement)
    }

    private static func readIncrement(
        _ bytes: UnsafeRawBufferPointer
    ) throws(FieldError) -> Operation {
        var id: Identifier?
        var name: Identifier?
        var amount = 0.0
        var reader = FieldReader(bytes)
        while let field = try reader.next() {
            switch field {
            case 1: id = try reader.identifier()
            case 2: name = try reader.identifier()
            case 3: amount = try reader.double()
            default: try reader.skip()
            }
        }
        guard let id, let name else { throw .model(.badIdentifier) }
        guard amount.isFinite else { throw .model(.badNumber) }
        return .increment(id, field: name, by: amount)
    }
}

extension ByteWriter {
    fileprivate mutating func write(_ field: Int, operationOn id: Identifier) {
        write(message: field) { writer in writer.write(1, id) }
    }
}
