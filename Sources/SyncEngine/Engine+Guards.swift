import SyncBytes
import SyncModel

/// Judging guards (G1 to G9 of the merge rules).
///
/// Nodes and replaced contents above the horizon are all present (invariant 3). So the room at the
/// guard's revision and the room before the transaction are both read from the thing's own chains:
/// its nodes, and the contents that it had.
extension Engine {
    /// Judges the guard of the operation that is to be applied.
    ///
    /// # Performance
    /// O(1) if the thing was not touched since the guard's revision. Otherwise O(k) for the nodes
    /// and contents that it was given since, and the bytes of these contents once for each named
    /// field. Nothing of this is remembered for the next guard: the steps of a transaction limit
    /// it. A guard exceeds them by the comparison of two contents at most.
    @inline(never)
    func judge(
        _ operation: OperationView, of message: UnsafeRawBufferPointer
    ) throws(Stop) {
        spend(1)
        if operation.kind == .insert || operation.kind == .move {
            try checkForm(of: PlacementView(operation.placement))
        }
        let body = OperationView.condition(of: message)
        guard body.baseAddress != nil else { return }
        let condition = GuardView(body)
        if draft.traits.hasSeenNothing { throw .changed(.horizon) }
        guard condition.revision <= draft.base else {
            throw .refused(
                .badBase,
                "a guard has revision \(condition.revision), above the base \(draft.base)")
        }
        let thing =
            operation.kind.isOfSection ? findSection(operation.id) : lookUpItem(operation.id)
        let changed =
            condition.revision < horizon ? .horizon : changes(of: thing, since: condition)
        if changed.isEmpty, !isOverSteps { return }
        throw .changed(changed)
    }

    private func changes(of thing: ThingID, since condition: GuardView) -> GuardedChanges {
        if thing == 0 { return [] }
        let revision = condition.revision
        let before = lastNode(of: thing, from: things[thing].node, through: draft.revision - 1)
        let then = lastNode(of: thing, from: before, through: revision)
        let livedBefore = before != 0 && nodes[before].died >= draft.revision
        let livedThen = then != 0 && nodes[then].died > revision
        guard livedBefore || livedThen else { return [] }
        guard livedBefore, livedThen, nodes[before].incarnation == nodes[then].incarnation else {
            return .life
        }
        var changed: GuardedChanges = condition.coversPlace && then != before ? .place : []
        if condition.coversMore { changed.formUnion(contentChanges(of: thing, since: condition)) }
        return changed
    }

    /// The last node of a thing that was born at or before a revision; 0 if it had none, or that is
    /// forgotten.
    private func lastNode(
        of thing: ThingID, from newest: NodeID, through revision: Revision
    ) -> NodeID {
        var node = newest
        while node != 0, nodes[node].born > revision {
            spend(1)
            if isOverSteps { return 0 }
            node = previous(of: node)
        }
        return node
    }

    /// Compares each two contents that followed each other after a revision, without what the
    /// transaction itself has replaced.
    private func contentChanges(of thing: ThingID, since condition: GuardView) -> GuardedChanges {
        let fields =
            things[thing].isSection ? SectionContent.Number.fields : ItemContent.Number.fields
        let covered = condition.coveredContent
        var changed: GuardedChanges = []
        var newer = things[thing].body
        var version = things[thing].version
        var revision = draft.revision + 1
        while version != 0, changed != covered, !isOverSteps {
            let record = versions[version]
            // A number that was used again is another thing's, or a later content's.
            guard record.thing == thing, record.revision > condition.revision,
                record.revision < revision
            else { break }
            if record.revision < draft.revision {
                compare(content(record.body), content(newer), fields, condition, &changed)
            }
            (newer, version, revision) = (record.body, record.previous, record.revision)
        }
        return changed
    }

    private func content(_ body: BlobStore.Reference) -> UnsafeRawBufferPointer {
        Body(blobs.bytes(body)).content
    }

    private func compare(
        _ older: UnsafeRawBufferPointer, _ newer: UnsafeRawBufferPointer, _ fields: Int,
        _ condition: GuardView, _ changed: inout GuardedChanges
    ) {
        let steps = 1 + Engine.steps(forBytes: older.count + newer.count)
        spend(steps)
        if condition.coversContent, !older.hasSameBytes(as: newer) { changed.insert(.content) }
        condition.forEachField { position, name in
            let field = GuardedChanges.field(at: position)
            if changed.contains(field) || isOverSteps { return }
            spend(steps)
            let former = ContentEditor.field(name, in: older, fields)
            let latter = ContentEditor.field(name, in: newer, fields)
            if !ContentEditor.areSame(former, latter) { changed.insert(field) }
        }
    }
}

extension ListOperation.Kind {
    /// Whether it is about a section.
    var isOfSection: Bool {
        switch self {
        case .insert, .delete, .move, .update, .increment: false
        case .insertSection, .deleteSection, .moveSection, .updateSection: true
        }
    }
}
