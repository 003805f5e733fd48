import SyncBytes
import SyncModel

/// Parses operations, which may be anything: the slow way, for operations that are not canonical.
extension ListOperation {
    /// Reads an operation's body, which may be anything.
    init(fields bytes: UnsafeRawBufferPointer, limits: WireLimits) throws(FieldError) {
        var reader = FieldReader(bytes)
        guard let number = try reader.next(),
            let kind = UInt8(exactly: number).flatMap(ListOperation.Kind.init(rawValue:))
        else { throw .malformed }
        let body = try reader.body()
        let operation = try ListOperation.read(kind, body, limits)
        guard let next = try reader.next() else {
            self = operation
            return
        }
        guard next == ListOperation.guardNumber else { throw .malformed }
        self = .guarded(operation, by: try Guard(fields: try reader.body()))
        guard try reader.next() == nil else { throw .malformed }
    }

    private static func read(
        _ kind: ListOperation.Kind, _ bytes: UnsafeRawBufferPointer, _ limits: WireLimits
    ) throws(FieldError) -> ListOperation {
        switch kind {
        case .update: return try ItemPatch.readUpdate(bytes, limits)
        case .updateSection: return try SectionPatch.readUpdate(bytes, limits)
        case .increment: return try readIncrement(bytes)
        case .insert: return try readInsert(bytes, limits)
        case .insertSection: return try readInsertSection(bytes, limits)
        case .delete, .deleteSection, .move, .moveSection: break
        }
        var id: Identifier?
        var placement = Placement()
        let forItem = kind == .move
        var reader = FieldReader(bytes)
        while let field = try reader.next() {
            switch (field, kind) {
            case (1, _): id = try reader.identifier()
            case (2, .move), (2, .moveSection):
                placement = try Placement(fields: try reader.body(), forItem: forItem)
            default: try reader.skip()
            }
        }
        guard let id else { throw .model(.badIdentifier) }
        switch kind {
        case .delete: return .delete(id)
        case .deleteSection: return .deleteSection(id)
        case .move: return .move(id, to: placement)
        default: return .moveSection(id, to: placement)
        }
    }

    private static func readInsert(
        _ bytes: UnsafeRawBufferPointer, _ limits: WireLimits
    ) throws(FieldError) -> ListOperation {
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
    ) throws(FieldError) -> ListOperation {
        var section: ListSection?
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
    ) throws(FieldError) -> ListOperation {
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

/// The protocol's message `Guard`.
extension Guard {
    fileprivate init(fields bytes: UnsafeRawBufferPointer) throws(FieldError) {
        self.init(since: 0)
        var reader = FieldReader(bytes)
        while let field = try reader.next() {
            switch field {
            case Number.revision: revision = try reader.number()
            case Number.place: place = try reader.bool()
            case Number.content: content = try reader.bool()
            case Number.fields:
                guard fields.count < Guard.maximumFields else {
                    throw .limit("a guard names more than \(Guard.maximumFields) fields")
                }
                fields.append(try reader.identifier())
            // What is unknown may be a condition, which must not be passed over.
            default: throw .meaningless("a guard has a condition that is not known here")
            }
        }
    }
}
