import SyncBytes
import SyncModel

/// The protocol's message `Update`.
extension ItemPatch {
    static func readUpdate(
        _ bytes: UnsafeRawBufferPointer, _ limits: WireLimits
    ) throws(FieldError) -> ListOperation {
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
}

/// The protocol's message `UpdateSection`.
extension SectionPatch {
    static func readUpdate(
        _ bytes: UnsafeRawBufferPointer, _ limits: WireLimits
    ) throws(FieldError) -> ListOperation {
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
}
