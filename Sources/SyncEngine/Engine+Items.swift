import SyncBytes
import SyncModel

/// The operations on items.
extension Engine {
    func insert(
        _ id: UnsafeRawBufferPointer, _ content: UnsafeRawBufferPointer, to placement: PlacementView
    ) throws(Stop) {
        try checkForm(of: placement)
        var thing = findItem(id)
        if thing != 0, isAlive(thing) { throw .lost(.exists) }
        try checkSize(content.count)
        let place = try place(anItemAt: placement)
        if thing == 0 {
            thing = makeItemThing(id, content)
        } else {
            setContent(of: thing, content, disabled: ContentEditor.disabledItemFlags(content))
            beginIncarnation(of: thing)
        }
        makeNode(of: thing, at: place, author: draft.author)
    }

    func delete(_ id: UnsafeRawBufferPointer) throws(Stop) {
        let thing = findItem(id)
        if thing == 0 {
            if draft.isPastHorizon { return }
            throw unknownItem(id)
        }
        if knowsOnlyFormer(thing) {
            takeOut(thing)
            return
        }
        if !isAlive(thing) {
            takeOut(thing)
            markDeletedByName(thing)
            return
        }
        try require(.deletable, of: thing)
        end(thing, withSection: false)
    }

    /// Marks an item that was deleted with its section as deleted by name, so that no move brings
    /// it back (O2).
    private func markDeletedByName(_ thing: ThingID) {
        guard things[thing].wasDeletedWithSection else { return }
        rollback.append(.thing(thing, things[thing]))
        things[thing].deletion = things[thing].deletionAuthor
    }

    func move(_ id: UnsafeRawBufferPointer, to placement: PlacementView) throws(Stop) {
        try checkForm(of: placement)
        let thing = findItem(id)
        if thing == 0 { throw draft.isPastHorizon ? .lost(.deleted) : unknownItem(id) }
        let isAlive = isAlive(thing)
        let isStaying = placement.isBeside(id)
        // A move brings an item back only if it was deleted with its section, and if the author has
        // not seen that (O3).
        let isLost =
            knowsOnlyFormer(thing)
            || !isAlive
                && (isStaying || !things[thing].wasDeletedWithSection || hasSeenDeletion(of: thing))
        if isLost {
            if !isStaying { takeOut(thing) }
            throw .lost(.deleted)
        }
        try require(.movable, of: thing)
        if isStaying { return }
        let place = try place(anItemAt: placement, moving: thing)
        let section = sectionOfSequence[Int(place.sequence)]
        let disabled = blobs.tag(things[section].body)
        if disabled & SectionFlags.acceptsMoves.rawValue != 0 {
            throw .refused(.notAllowed, "the section accepts no moves")
        }
        if isAlive { endNode(of: thing) }
        makeNode(of: thing, at: place, author: draft.author)
    }

    func update(_ id: UnsafeRawBufferPointer, _ content: UnsafeRawBufferPointer) throws(Stop) {
        let thing = try livingItem(id)
        let patch = ItemPatchView(content)
        if !patch.changesOnlyFlags { try require(.editable, of: thing) }
        try update(thing, patch)
    }

    @inline(__always)
    private func update(_ thing: ThingID, _ patch: ItemPatchView) throws(Stop) {
        if !patch.unset.isEmpty {
            spendMerging(patch.unset, into: thing)
            if isOverSteps { return }
        }
        scratch.reset()
        let disabled = ContentEditor.apply(
            patch, to: content(of: thing), disabled: blobs.tag(things[thing].body), &scratch)
        try replaceContent(of: thing, disabled: disabled)
    }

    func increment(_ id: UnsafeRawBufferPointer, _ increment: IncrementView) throws(Stop) {
        let thing = try livingItem(id)
        try require(.editable, of: thing)
        var number = increment.amount
        let value = ContentEditor.value(
            of: increment.field, in: content(of: thing), fields: ItemContent.Number.fields)
        if let value {
            guard case .number(let known) = value else { throw .lost(.notNumber) }
            number += known
        }
        incrementPatch.reset()
        do throws(ModelError) {
            try ItemPatch.write(number: number, in: increment.field, to: &incrementPatch)
        } catch {
            throw .lost(.notNumber)
        }
        try update(thing, ItemPatchView(incrementPatch.bytes))
    }

    // MARK: Shared parts

    func checkForm(of placement: PlacementView) throws(Stop) {
        guard placement.section == nil, placement.anchor == nil else { return }
        throw .refused(.malformed, "a placement names a section, or an item to stand beside")
    }

    /// Refuses content that would be too large. Content that is too large already may shrink.
    @inline(__always)
    func checkSize(_ bytes: Int, instead old: Int = 0) throws(Stop) {
        guard bytes > draft.contentBytes, bytes > min(old, Engine.maximumContentBytes) else {
            return
        }
        throw .refused(
            .limitExceeded, "the content would have more than \(draft.contentBytes) bytes")
    }

    private func livingItem(_ id: UnsafeRawBufferPointer) throws(Stop) -> ThingID {
        let thing = findItem(id)
        if thing == 0 { throw draft.isPastHorizon ? .lost(.deleted) : unknownItem(id) }
        if knowsOnlyFormer(thing) || !isAlive(thing) { throw .lost(.deleted) }
        return thing
    }

    /// Notes that the transaction deletes, moves or inserts a thing, even if the operation is lost:
    /// the thing no longer counts where the base had it (P3).
    func takeOut(_ thing: ThingID) {
        if !draft.isCurrent { draft.takenOut.insert(thing) }
    }

    @inline(__always)
    func require(_ flag: ItemFlags, of thing: ThingID) throws(Stop) {
        let disabled = ItemFlags(rawValue: blobs.tag(things[thing].body))
        guard disabled.isDisjoint(with: flag) else {
            let verb = flag == .movable ? "moved" : flag == .editable ? "edited" : "deleted"
            throw .refused(.notAllowed, "item '\(id(of: thing))' may not be \(verb)")
        }
    }

    /// Counts the steps of looking for each removed name in a thing's content.
    @inline(never)
    func spendMerging(_ removed: MessageParts, into thing: ThingID) {
        if removed.isEmpty { return }
        let steps = 1 + Engine.steps(forBytes: content(of: thing).count)
        for _ in removed { spend(steps) }
    }

    @inline(__always)
    func content(of thing: ThingID) -> UnsafeRawBufferPointer {
        Body(blobs.bytes(things[thing].body)).content
    }

    /// Makes the scratch bytes the new content, unless they equal the old one.
    func replaceContent(of thing: ThingID, disabled: UInt8) throws(Stop) {
        let old = content(of: thing)
        spend(Engine.steps(forBytes: old.count))
        try checkSize(scratch.count, instead: old.count)
        if old.hasSameBytes(as: scratch.bytes) { return }
        setContent(of: thing, scratch.bytes, disabled: disabled)
    }

    func unknownItem(_ id: UnsafeRawBufferPointer) -> Stop {
        let name = Identifier(trusted: id)
        return .refused(
            .unknownItem, "there never was an item '\(name)', or it is long forgotten")
    }
}
