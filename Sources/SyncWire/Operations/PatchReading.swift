import SyncBytes
import SyncEngine

/// The protocol's message `Update`.
extension ItemPatch {
    private enum Number {
        static let id = 1
        static let set = 2
        static let unset = 3
        static let size = 4
        static let noSize = 5
        static let kind = 6
        static let noKind = 7
        static let flags = 8
    }

    static func readUpdate(
        _ bytes: UnsafeRawBufferPointer, _ limits: WireLimits
    ) throws(FieldError) -> Operation {
        try limits.check(contentBytes: bytes.count)
        var id: Identifier?
        var patch = ItemPatch()
        var reader = FieldReader(bytes)
        while let field = try reader.next() {
            switch field {
            case Number.id: id = try reader.identifier()
            case Number.set: try reader.field(into: &patch.set, limits)
            case Number.unset: try reader.name(into: &patch.unset, limits)
            case Number.size: patch.size = .set(try reader.size())
            case Number.kind: patch.kind = .set(try reader.identifier())
            case Number.flags: patch.flags = try reader.flags()
            case Number.noSize:
                try reader.skip()
                patch.size = .clear
            case Number.noKind:
                try reader.skip()
                patch.kind = .clear
            default: try reader.skip()
            }
        }
        guard let id else { throw .model(.badIdentifier) }
        patch.set = try FieldReader.sorted(patch.set)
        return .update(id, patch)
    }

    func write(to writer: inout ByteWriter) throws(ModelError) {
        try ValueCoding.write(set, as: Number.set, to: &writer)
        for name in unset { writer.write(Number.unset, name) }
        switch size {
        case .set(let size):
            try writer.write(message: Number.size) { (writer) throws(ModelError) in
                try ValueCoding.write(size, to: &writer)
            }
        case .clear: writer.write(Number.noSize, true: true)
        case nil: break
        }
        switch kind {
        case .set(let kind): writer.write(Number.kind, kind)
        case .clear: writer.write(Number.noKind, true: true)
        case nil: break
        }
        writer.write(
            flags: flags.changed.rawValue, enabled: flags.enabled.rawValue, as: Number.flags)
    }
}

/// The protocol's message `UpdateSection`.
extension SectionPatch {
    private enum Number {
        static let id = 1
        static let set = 2
        static let unset = 3
        static let supplementaries = 4
        static let removedSupplementaries = 5
        static let flags = 6
    }

    static func readUpdate(
        _ bytes: UnsafeRawBufferPointer, _ limits: WireLimits
    ) throws(FieldError) -> Operation {
        try limits.check(contentBytes: bytes.count)
        var id: Identifier?
        var patch = SectionPatch()
        var reader = FieldReader(bytes)
        while let field = try reader.next() {
            switch field {
            case Number.id: id = try reader.identifier()
            case Number.set: try reader.field(into: &patch.set, limits)
            case Number.unset: try reader.name(into: &patch.unset, limits)
            case Number.supplementaries:
                try limits.check(contentFields: patch.supplementaries.count + 1)
                patch.supplementaries.append(try reader.supplementary())
            case Number.removedSupplementaries:
                try reader.name(into: &patch.removedSupplementaries, limits)
            case Number.flags: patch.flags = try reader.flags()
            default: try reader.skip()
            }
        }
        guard let id else { throw .model(.badIdentifier) }
        patch.set = try FieldReader.sorted(patch.set)
        return .updateSection(id, patch)
    }

    func write(to writer: inout ByteWriter) throws(ModelError) {
        try ValueCoding.write(set, as: Number.set, to: &writer)
        for name in unset { writer.write(Number.unset, name) }
        for supplementary in supplementaries {
            try writer.write(message: Number.supplementaries) { (writer) throws(ModelError) in
                try supplementary.write(to: &writer)
            }
        }
        for kind in removedSupplementaries { writer.write(Number.removedSupplementaries, kind) }
        writer.write(
            flags: flags.changed.rawValue, enabled: flags.enabled.rawValue, as: Number.flags)
    }
}
