import SyncEngine

extension TwinTransaction {
    /// The place for a section.
    private mutating func placeSection(
        _ placement: Placement, moving: Int?
    ) throws(Rejection) -> Place {
        let top = TwinRoom.top
        switch placement.position {
        case .end:
            fired.append(.end)
            return placeAtEnd(of: top)
        case .index(let number):
            if isPastHorizon, let sibling = siblingOfTrail(placement, .section, in: top) {
                fired.append(.indexByTrail)
                return placeAfter(sibling.index, in: top, passing: .afterPassing)
            }
            return place(index: number, in: top, without: moving)
        case .after(let id): return try placeSection(.after, id, placement)
        case .before(let id): return try placeSection(.before, id, placement)
        }
    }

    private mutating func placeSection(
        _ side: Side, _ id: Identifier, _ placement: Placement
    ) throws(Rejection) -> Place {
        let lives = room.knownLives(.section, id)
        if !isPastHorizon {
            guard let spot = authorsSpot(ofLives: lives) else {
                fired.append(.anchorUnknown)
                throw rejection(.unknownSection, "No section \(id) is known.")
            }
            return place(side, spot)
        }
        if let spot = lastSeenSpot(ofLives: lives) { return place(side, spot) }
        if let latest = lives.last, let spot = room.liveSpot(ofLife: latest) {
            fired.append(.anchorWhereItIs)
            return place(side, spot)
        }
        if let sibling = siblingOfTrail(placement, .section, in: TwinRoom.top) {
            fired.append(.trail)
            return placeAfter(sibling.index, in: TwinRoom.top, passing: .afterPassing)
        }
        fired.append(.trailEnd)
        return placeAtEnd(of: TwinRoom.top)
    }

    /// O5
    mutating func insertSection(
        _ section: Section, _ to: Placement
    ) throws(Rejection) -> Superseded.Reason? {
        let latest = room.knownLives(.section, section.id).last
        if let latest, room.lives[latest].deletion == nil {
            fired.append(.sectionExists)
            return .exists
        }
        _ = makeSection(section, at: try placeSection(to, moving: nil))
        fired.append(latest == nil ? .sectionInserted : .sectionInsertedAfterDeletion)
        return nil
    }

    /// O6
    mutating func deleteSection(_ id: Identifier) throws(Rejection) -> Superseded.Reason? {
        sectionsCountFrom[id] = room.lastSerial + 1
        contentsCountFrom[id] = room.lastSerial + 1
        let lives = room.knownLives(.section, id)
        guard let latest = lives.last else {
            try checkUnknown(.section, id)
            return nil
        }
        guard let section = room.liveSpot(ofLife: latest) else {
            fired.append(.sectionGone)
            return nil
        }
        if knowsOnlyFormer(lives) {
            fired.append(.sectionFormer)
            return nil
        }
        let nodes = (room.sequences[latest] ?? []).filter { $0.died == nil }
        let doomed = nodes.filter { goesWithSection($0.life, latest) }
        if !doomed.allSatisfy({ room.lives[$0.life].item.flags.contains(.deletable) }) {
            fired.append(.sectionItemNotAllowed)
            throw rejection(.notAllowed, "An item of the section \(id) can't be deleted.")
        }
        for node in doomed {
            guard let spot = room.liveSpot(ofLife: node.life) else { continue }
            delete(spot, byDeleteSection: true)
            // What it deletes is not counted where the base had it, even if that was elsewhere.
            itemsCountFrom[room.lives[node.life].id] = room.lastSerial + 1
        }
        if doomed.count < nodes.count {
            fired.append(doomed.isEmpty ? .sectionNotEmpty : .sectionNotEmptyAnymore)
            return .notEmpty
        }
        delete(section, byDeleteSection: true)
        fired.append(doomed.isEmpty ? .sectionDeleted : .sectionDeletedWithItems)
        return nil
    }

    /// Whether the author's node of an item is seen, stands in the section and was not dead at the
    /// base.
    private func goesWithSection(_ item: Int, _ section: Int) -> Bool {
        guard let spot = lastSeenSpot(ofLives: [item]) else { return false }
        return spot.sequence == section && spot.node.died.map { $0 > base } ?? true
    }

    /// O7
    mutating func moveSection(
        _ id: Identifier, _ to: Placement
    ) throws(Rejection) -> Superseded.Reason? {
        let isBesideItself = to.position.anchor?.id == id
        if !isBesideItself { sectionsCountFrom[id] = room.lastSerial + 1 }
        guard let life = try sectionToChange(id) else { return .deleted }
        if isBesideItself {
            fired.append(.itself)
            return nil
        }
        let place = try placeSection(to, moving: life)
        if let old = room.liveSpot(ofLife: life) { room.end(old, in: revision) }
        addNode(life: life, author: author, at: place)
        fired.append(.sectionMoved)
        return nil
    }

    /// O7
    mutating func updateSection(
        _ id: Identifier, _ patch: SectionPatch
    ) throws(Rejection) -> Superseded.Reason? {
        guard let life = try sectionToChange(id) else { return .deleted }
        var parts = room.lives[life].section.parts
        merge(set: patch.set, unset: patch.unset, into: &parts.fields)
        parts.supplementaries.removeAll { old in
            patch.removedSupplementaries.contains(old.kind)
                || patch.supplementaries.contains { $0.kind == old.kind }
        }
        parts.supplementaries += patch.supplementaries
        parts.flags = patch.flags.applied(to: parts.flags)
        do {
            room.lives[life].section = try SectionContent(
                fields: parts.fields, supplementaries: parts.supplementaries, flags: parts.flags)
        } catch {
            throw rejection(.malformed, "The content can't be written: \(error).")
        }
        room.writes.sections.append((revision, id))
        fired.append(.sectionUpdated)
        return nil
    }

    /// The life that a move or an update works on, if it is not lost.
    private mutating func sectionToChange(_ id: Identifier) throws(Rejection) -> Int? {
        let lives = room.knownLives(.section, id)
        guard let latest = lives.last else {
            try checkUnknown(.section, id)
            return nil
        }
        if knowsOnlyFormer(lives) {
            fired.append(.sectionChangeFormer)
            return nil
        }
        if room.lives[latest].deletion != nil {
            fired.append(.sectionChangeDeleted)
            return nil
        }
        return latest
    }
}
