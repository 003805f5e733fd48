package import SyncBytes

extension ListOperation {
    /// Writes the body of the protocol's message `Operation`, in canonical form.
    ///
    /// - Throws: ``ModelError`` for numbers and names that have no place in a room.
    package func write(to writer: inout ByteWriter) throws(ModelError) {
        switch self {
        case .insert(let item, let placement):
            writer.write(.insert) { writer in
                writer.write(message: 1) { writer in item.write(to: &writer) }
                placement.write(as: 2, to: &writer)
            }
        case .delete(let id): writer.write(.delete, id)
        case .move(let id, let placement): writer.write(.move, id, to: placement)
        case .update(let id, let patch):
            try writer.write(.update) { (writer) throws(ModelError) in
                writer.write(field: 1, utf8Of: id.text)
                try patch.write(to: &writer)
            }
        case .increment(let id, let field, let amount):
            guard amount.isFinite else { throw .badNumber }
            writer.write(.increment) { writer in
                writer.write(field: 1, utf8Of: id.text)
                writer.write(field: 2, utf8Of: field.text)
                if amount != 0 { writer.write(field: 3, double: amount) }
            }
        case .insertSection(let section, let placement):
            writer.write(.insertSection) { writer in
                writer.write(message: 1) { writer in section.write(to: &writer) }
                placement.write(as: 2, to: &writer)
            }
        case .deleteSection(let id): writer.write(.deleteSection, id)
        case .moveSection(let id, let placement): writer.write(.moveSection, id, to: placement)
        case .updateSection(let id, let patch):
            try writer.write(.updateSection) { (writer) throws(ModelError) in
                writer.write(field: 1, utf8Of: id.text)
                try patch.write(to: &writer)
            }
        case .guarded(let operation, let condition):
            try operation.unguarded.write(to: &writer)
            condition.write(as: ListOperation.guardNumber, to: &writer)
        }
    }
}

extension Guard {
    /// Field numbers of the message `Guard`.
    package enum Number {
        package static let revision = 1
        package static let place = 2
        package static let content = 3
        package static let fields = 4
    }

    fileprivate func write(as field: Int, to writer: inout ByteWriter) {
        writer.write(message: field) { writer in
            if revision != 0 { writer.write(field: Number.revision, varint: revision) }
            if place { writer.write(field: Number.place, varint: 1) }
            if content { writer.write(field: Number.content, varint: 1) }
            for name in fields { writer.write(field: Number.fields, utf8Of: name.text) }
        }
    }
}

extension ByteWriter {
    @inline(__always)
    fileprivate mutating func write<Failure: Error>(
        _ kind: ListOperation.Kind, _ body: (inout ByteWriter) throws(Failure) -> Void
    ) throws(Failure) {
        try write(message: Int(kind.rawValue), body)
    }

    fileprivate mutating func write(_ kind: ListOperation.Kind, _ id: Identifier) {
        write(kind) { writer in writer.write(field: 1, utf8Of: id.text) }
    }

    fileprivate mutating func write(
        _ kind: ListOperation.Kind, _ id: Identifier, to placement: Placement
    ) {
        write(kind) { writer in
            writer.write(field: 1, utf8Of: id.text)
            placement.write(as: 2, to: &writer)
        }
    }
}

extension Placement {
    /// Field numbers of the message `Placement`.
    @usableFromInline
    package enum Number {
        @inlinable package static var section: Int { 1 }
        @inlinable package static var after: Int { 2 }
        @inlinable package static var before: Int { 3 }
        @inlinable package static var index: Int { 4 }
        @inlinable package static var trail: Int { 5 }
    }

    /// Writes the message, even an empty one.
    fileprivate func write(as field: Int, to writer: inout ByteWriter) {
        writer.write(message: field) { writer in
            if let section { writer.write(field: Number.section, utf8Of: section.text) }
            switch position {
            case .end: break
            case .after(let id): writer.write(field: Number.after, utf8Of: id.text)
            case .before(let id): writer.write(field: Number.before, utf8Of: id.text)
            case .index(let index): writer.write(field: Number.index, varint: index)
            }
            for id in trail { writer.write(field: Number.trail, utf8Of: id.text) }
        }
    }
}

extension ItemPatch {
    /// Field numbers of the message `Update`; the id is 1.
    @usableFromInline
    package enum Number {
        @inlinable package static var id: Int { 1 }
        @inlinable package static var set: Int { 2 }
        @inlinable package static var unset: Int { 3 }
        @inlinable package static var size: Int { 4 }
        @inlinable package static var noSize: Int { 5 }
        @inlinable package static var kind: Int { 6 }
        @inlinable package static var noKind: Int { 7 }
        @inlinable package static var flags: Int { 8 }
    }

    fileprivate func write(to writer: inout ByteWriter) throws(ModelError) {
        try ValueCoding.write(set, as: Number.set, to: &writer)
        for name in unset { writer.write(field: Number.unset, utf8Of: name.text) }
        switch size {
        case .set(let size):
            try writer.write(message: Number.size) { (writer) throws(ModelError) in
                try ValueCoding.write(size, to: &writer)
            }
        case .clear: writer.write(field: Number.noSize, varint: 1)
        case nil: break
        }
        switch kind {
        case .set(let kind): writer.write(field: Number.kind, utf8Of: kind.text)
        case .clear: writer.write(field: Number.noKind, varint: 1)
        case nil: break
        }
        writer.write(
            flags: flags.changed.rawValue, enabled: flags.enabled.rawValue, as: Number.flags)
    }
}

extension SectionPatch {
    /// Field numbers of the message `UpdateSection`; the id is 1.
    @usableFromInline
    package enum Number {
        @inlinable package static var id: Int { 1 }
        @inlinable package static var set: Int { 2 }
        @inlinable package static var unset: Int { 3 }
        @inlinable package static var supplementaries: Int { 4 }
        @inlinable package static var removedSupplementaries: Int { 5 }
        @inlinable package static var flags: Int { 6 }
    }

    fileprivate func write(to writer: inout ByteWriter) throws(ModelError) {
        try ValueCoding.write(set, as: Number.set, to: &writer)
        for name in unset { writer.write(field: Number.unset, utf8Of: name.text) }
        try Supplementary.write(supplementaries, as: Number.supplementaries, to: &writer)
        for kind in removedSupplementaries {
            writer.write(field: Number.removedSupplementaries, utf8Of: kind.text)
        }
        writer.write(
            flags: flags.changed.rawValue, enabled: flags.enabled.rawValue, as: Number.flags)
    }
}
