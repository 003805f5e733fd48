import SyncBytes
import SyncModel
import SyncTree

/// The operations on sections.
extension Engine {
    func insertSection(
        _ id: UnsafeRawBufferPointer, _ content: UnsafeRawBufferPointer, _ placement: PlacementView
    ) throws(Stop) {
        let thing = findSection(id)
        if thing != 0, isAlive(thing) { throw .lost(.exists) }
        try checkSize(content.count)
        let place = try place(aSectionAt: placement)
        makeSection(id, content, at: place)
    }

    /// Begins an incarnation of a section's id, which must not live.
    @discardableResult
    private func makeSection(
        _ id: UnsafeRawBufferPointer, _ content: UnsafeRawBufferPointer, at place: Place
    ) -> ThingID {
        var thing = findSection(id)
        if thing == 0 {
            thing = makeSectionThing(id, content)
        } else {
            setContent(of: thing, content, disabled: ContentEditor.disabledSectionFlags(content))
            beginIncarnation(of: thing)
        }
        makeNode(of: thing, at: place, author: draft.author)
        return thing
    }

    /// Makes a section without content behind the others.
    func makeEmptySection(_ id: UnsafeRawBufferPointer) -> ThingID {
        makeSection(
            id, UnsafeRawBufferPointer(start: nil, count: 0), at: end(of: sectionSequence))
    }

    func deleteSection(_ id: UnsafeRawBufferPointer) throws(Stop) {
        let thing = findSection(id)
        if thing == 0 {
            if draft.isPastHorizon { return }
            throw unknownSection(id)
        }
        let sequence = things[thing].sequence
        if !draft.isCurrent {
            draft.takenOut.insert(thing)
            draft.deletedSections.insert(things[thing].node)
            draft.deletedSectionList.append(things[thing].node)
            draft.deletedSequences.insert(sequence)
        }
        if knowsOnlyFormer(thing) || !isAlive(thing) { return }
        for item in seenThings(in: sequence) {
            try require(.deletable, of: item)
            end(item, withSection: true)
            if isOverSteps { return }
        }
        guard tree.liveCount(sequence) == 0 else {
            rememberPass(over: sequence)
            throw .lost(.notEmpty)
        }
        end(thing, withSection: false)
    }

    func moveSection(
        _ id: UnsafeRawBufferPointer, to placement: PlacementView
    ) throws(Stop) {
        let thing = findSection(id)
        if thing == 0 { throw draft.isPastHorizon ? .lost(.deleted) : unknownSection(id) }
        let isStaying = placement.isBeside(id)
        if knowsOnlyFormer(thing) || !isAlive(thing) {
            if !isStaying { takeOut(thing) }
            throw .lost(.deleted)
        }
        if isStaying { return }
        let place = try place(aSectionAt: placement, moving: thing)
        endNode(of: thing)
        makeNode(of: thing, at: place, author: draft.author)
    }

    func updateSection(
        _ id: UnsafeRawBufferPointer, _ patch: SectionPatchView
    ) throws(Stop) {
        let thing = findSection(id)
        if thing == 0 { throw draft.isPastHorizon ? .lost(.deleted) : unknownSection(id) }
        if knowsOnlyFormer(thing) || !isAlive(thing) { throw .lost(.deleted) }
        spendMerging(patch.unset, into: thing)
        spendMerging(patch.removedSupplementaries, into: thing)
        if isOverSteps { return }
        scratch.reset()
        ContentEditor.apply(patch, to: content(of: thing), &scratch)
        try replaceContent(of: thing, disabled: ContentEditor.disabledSectionFlags(scratch.bytes))
    }

    func unknownSection(_ id: UnsafeRawBufferPointer) -> Stop {
        .refused(.unknownSection, "there is no section '\(Identifier(trusted: id))'")
    }

    /// Brings a deleted section back: with a node that is nobody's, directly right of its last one
    /// (S3).
    func revive(_ section: ThingID) {
        let last = things[section].node
        makeNode(
            of: section, at: Place(sequence: sectionSequence, left: last, origin: last), author: 0)
    }
}
