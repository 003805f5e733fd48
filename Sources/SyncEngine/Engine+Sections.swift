import SyncBytes
import SyncTree

/// The operations on sections.
extension Engine {
    func insert(_ section: Section, to placement: Placement) throws(Stop) {
        let thing = findSection(section.id)
        if thing != 0, isAlive(thing) { throw .lost(.exists) }
        try checkSize(section.content.bytes.count)
        let place = try place(aSectionAt: placement)
        makeSection(section.id, section.content, at: place)
    }

    /// Starts a life of a section's id, which does not live.
    @discardableResult
    func makeSection(_ id: Identifier, _ content: SectionContent, at place: Place) -> ThingID {
        var thing = findSection(id)
        if thing == 0 {
            thing = id.withBytes { makeSectionThing($0, content) }
        } else {
            content.bytes.withUnsafeBytes { bytes in
                setContent(of: thing, bytes, disabled: ContentEditor.disabledSectionFlags(bytes))
            }
        }
        beginIncarnation(of: thing)
        makeNode(of: thing, at: place, author: draft.author)
        return thing
    }

    func deleteSection(_ id: Identifier) throws(Stop) {
        let thing = findSection(id)
        if thing == 0 {
            if draft.isPastHorizon { return }
            throw unknownSection(id)
        }
        let sequence = things[thing].sequence
        if !draft.isCurrent {
            draft.takenOut.insert(thing)
            draft.deletedSections.insert(things[thing].node)
            draft.cleared.insert(sequence)
        }
        if knowsOnlyFormer(thing) || !isAlive(thing) { return }
        var seen: [ThingID] = []
        tree.forEach(sequence) { node, isLive in
            if isLive, hasSeen(node, standingIn: sequence) { seen.append(nodes[node].thing) }
        }
        for item in seen {
            try require(.deletable, of: item)
            end(item, withSection: true)
        }
        guard tree.liveCount(sequence) == 0 else { throw .lost(.notEmpty) }
        end(thing, withSection: false)
    }

    /// Whether the author, when it deletes a section, means the item of this node there: it knows
    /// this life of the item, had it in this section, and had it alive.
    private func hasSeen(_ node: NodeID, standingIn sequence: OrderTree.SequenceID) -> Bool {
        var seen = node
        while seen != 0, !hasSeen(seen) { seen = previous(of: seen) }
        guard seen != 0, nodes[seen].incarnation == nodes[node].incarnation else { return false }
        return nodes[seen].sequence == sequence && nodes[seen].died > draft.base
    }

    func moveSection(_ id: Identifier, to placement: Placement) throws(Stop) {
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

    func updateSection(_ id: Identifier, _ patch: SectionPatch) throws(Stop) {
        let thing = findSection(id)
        if thing == 0 { throw draft.isPastHorizon ? .lost(.deleted) : unknownSection(id) }
        if knowsOnlyFormer(thing) || !isAlive(thing) { throw .lost(.deleted) }
        scratch.reset()
        do throws(ModelError) {
            try ContentEditor.apply(patch, to: content(of: thing), &scratch)
        } catch {
            throw .refused(.malformed, "the update holds a value that no field can have")
        }
        try replaceContent(of: thing, disabled: ContentEditor.disabledSectionFlags(scratch.bytes))
    }

    func unknownSection(_ id: Identifier) -> Stop {
        .refused(.unknownSection, "there is no section '\(id)'")
    }

    /// Brings a deleted section back, nobody's, to the right of where it was.
    func revive(_ section: ThingID) {
        let last = things[section].node
        makeNode(
            of: section, at: Place(sequence: sectionSequence, left: last, origin: last), author: 0)
    }
}
