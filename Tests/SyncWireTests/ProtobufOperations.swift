import SyncBytes
import SyncModel
import SyncWire
import Testing

extension Collsync_V1_Placement {
    init(_ placement: Placement) {
        if let section = placement.section { self.section = section.text }
        switch placement.position {
        case .end: break
        case .after(let id): after = id.text
        case .before(let id): before = id.text
        case .index(let index): self.index = index
        }
        trail = placement.trail.map(\.text)
    }
}

extension Collsync_V1_Update {
    init(_ id: Identifier, _ patch: ItemPatch) {
        self.id = id.text
        set = patch.set.map(Collsync_V1_Field.init)
        unset = patch.unset.map(\.text)
        switch patch.size {
        case .set(let size): self.size = Collsync_V1_Size(size)
        case .clear: noSize = true
        case nil: break
        }
        switch patch.kind {
        case .set(let kind): self.kind = kind.text
        case .clear: noKind = true
        case nil: break
        }
        let flags = Collsync_V1_ItemFlags(patch.flags.changed, enabled: patch.flags.enabled)
        if let flags { self.flags = flags }
    }
}

extension Collsync_V1_UpdateSection {
    init(_ id: Identifier, _ patch: SectionPatch) {
        self.id = id.text
        set = patch.set.map(Collsync_V1_Field.init)
        unset = patch.unset.map(\.text)
        supplementaries = patch.supplementaries.map(Collsync_V1_Supplementary.init)
        removedSupplementaries = patch.removedSupplementaries.map(\.text)
        let flags = Collsync_V1_SectionFlags(patch.flags.changed, enabled: patch.flags.enabled)
        if let flags { self.flags = flags }
    }
}

extension Collsync_V1_Operation {
    init(_ operation: ListOperation) {
        self.init()
        switch operation {
        case .insert(let item, let placement):
            insert.item = Collsync_V1_Item(item)
            insert.to = Collsync_V1_Placement(placement)
        case .delete(let id): delete.id = id.text
        case .move(let id, let placement):
            move.id = id.text
            move.to = Collsync_V1_Placement(placement)
        case .update(let id, let patch): update = Collsync_V1_Update(id, patch)
        case .increment(let id, let field, let amount):
            increment.id = id.text
            increment.field = field.text
            increment.by = amount
        case .insertSection(let section, let placement):
            insertSection.section = Collsync_V1_Section(section)
            insertSection.to = Collsync_V1_Placement(placement)
        case .deleteSection(let id): deleteSection.id = id.text
        case .moveSection(let id, let placement):
            moveSection.id = id.text
            moveSection.to = Collsync_V1_Placement(placement)
        case .updateSection(let id, let patch):
            updateSection = Collsync_V1_UpdateSection(id, patch)
        case .guarded(let operation, let condition):
            self = Self(operation)
            `guard`.revision = condition.revision
            `guard`.place = condition.place
            `guard`.content = condition.content
            `guard`.fields = condition.fields.map(\.text)
        }
    }
}

extension Collsync_V1_Transaction {
    init(_ transaction: ListTransaction) {
        base = transaction.base
        operations = transaction.operations.map(Collsync_V1_Operation.init)
        all = transaction.isAllOrNothing
    }
}

extension Collsync_V1_Superseded {
    init(_ superseded: Superseded) {
        operation = UInt32(superseded.operation)
        changed = superseded.changed.rawValue
        switch superseded.reason {
        case .unknown: reason = .unknown
        case .deleted: reason = .deleted
        case .notEmpty: reason = .notEmpty
        case .exists: reason = .exists
        case .notNumber: reason = .notNumber
        case .changed: reason = .changed
        }
    }
}

extension Collsync_V1_Rejection {
    init(_ rejection: Rejection) {
        if let operation = rejection.operation { self.operation = UInt32(operation) }
        message = rejection.message
        retryAfterMilliseconds = rejection.retryAfterMilliseconds
        switch rejection.code {
        case .unknown: code = .unknown
        case .malformed: code = .malformed
        case .limitExceeded: code = .limitExceeded
        case .notAllowed: code = .notAllowed
        case .badBase: code = .badBase
        case .unknownItem: code = .unknownItem
        case .unknownSection: code = .unknownSection
        case .forgotten: code = .forgotten
        case .unavailable: code = .unavailable
        case .roomDeleted: code = .roomDeleted
        case .roomChanged: code = .roomChanged
        case .refused: code = .refused
        case .conflict: code = .conflict
        }
    }
}

/// A packed transaction, read by the slow path.
func unpacked(_ packed: PackedTransaction) -> ListTransaction {
    var writer = ByteWriter()
    packed.write(to: &writer)
    do throws(Rejection) {
        return try ListTransaction(parsing: writer.bytes)
    } catch {
        Issue.record("what was packed can't be read: \(error)")
        return ListTransaction(base: 0, operations: [])
    }
}
