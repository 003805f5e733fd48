import SyncModel

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
            if isPastHorizon, !mutates(.indexIgnoresTrail),
                let sibling = siblingOfTrail(placement, .section, in: top)
            {
                fired.append(.indexByTrail)
                return placeAfter(sibling)
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
        if let latest = lives.last, let spot = room.liveSpot(ofLife: latest),
            !mutates(.sectionAnchorIsNotFollowed)
        {
            fired.append(.anchorWhereItIs)
            return place(side, spot)
        }
        if let sibling = siblingOfTrail(placement, .section, in: TwinRoom.top) {
            fired.append(.trail)
            return placeAfter(sibling)
        }
        fired.append(.trailEnd)
        return placeAtEnd(of: TwinRoom.top)
    }

    /// O5
    mutating func insertSection(
        _ section: ListSection, _ to: Placement
    ) throws(Rejection) -> Superseded.Reason? {
        let latest = room.knownLives(.section, section.id).last
        if let latest, room.lives[latest].deletion == nil {
            fired.append(.sectionExists)
            return .exists
        }
        let place = try placeSection(to, moving: mutates(.formerLifeIsNotCounted) ? latest : nil)
        if let latest, mutates(.sectionInsertedAgainIsTheSame) {
            room.lives[latest].deletion = nil
            room.lives[latest].section = section.content
            addNode(life: latest, author: author, at: place)
        } else {
            _ = makeSection(section, at: place)
        }
        fired.append(latest == nil ? .sectionInserted : .sectionInsertedAfterDeletion)
        return nil
    }

    /// O6
    mutating func deleteSection(_ id: Identifier) throws(Rejection) -> Superseded.Reason? {
        let countedFrom = contentsCountFrom[id]
        if !mutates(.deleteSectionLeavesItself) { sectionsCountFrom[id] = room.lastSerial + 1 }
        if !mutates(.deleteSectionLeavesContents) { contentsCountFrom[id] = room.lastSerial + 1 }
        let lives = room.knownLives(.section, id)
        guard let latest = lives.last else {
            try checkUnknown(.section, id)
            return nil
        }
        guard let section = room.liveSpot(ofLife: latest) else {
            if mutates(.vainDeleteSectionLeavesContents) { contentsCountFrom[id] = countedFrom }
            if mutates(.vainDeleteSectionIsSeen) { room.lives[latest].deletion?.author = author }
            fired.append(.sectionGone)
            return mutates(.sectionGoneIsLost) ? .deleted : nil
        }
        if knowsOnlyFormer(lives, unless: .formerDeletesSection) {
            if mutates(.vainDeleteSectionLeavesContents) { contentsCountFrom[id] = countedFrom }
            fired.append(.sectionFormer)
            return nil
        }
        if try isEmptied(latest) {
            delete(section, byDeleteSection: true)
            return nil
        }
        if mutates(.vainDeleteSectionLeavesContents) { contentsCountFrom[id] = countedFrom }
        return mutates(.notEmptyIsNotReported) ? nil : .notEmpty
    }

    /// O6: deletes the items that go with a section; whether none remains.
    private mutating func isEmptied(_ latest: Int) throws(Rejection) -> Bool {
        let nodes = (room.sequences[latest] ?? []).filter { $0.died == nil }
        let doomed = nodes.filter { goesWithSection($0.life, latest) }
        let mayDelete = doomed.allSatisfy { room.lives[$0.life].item.flags.contains(.deletable) }
        if !mayDelete, !mutates(.deleteSectionAsksNoFlag) {
            fired.append(.sectionItemNotAllowed)
            throw rejection(.notAllowed, "An item of the section can't be deleted.")
        }
        let isEmptied = doomed.count == nodes.count
        for node in nodes where mutates(.deleteSectionTakesWhatStandsThere) {
            itemsCountFrom[room.lives[node.life].id] = room.lastSerial + 1
        }
        for node in doomed where isEmptied || !mutates(.notEmptyDeletesNothing) {
            guard let spot = room.liveSpot(ofLife: node.life) else { continue }
            delete(spot, byDeleteSection: true)
            if mutates(.deletedWithSectionCountsElsewhere) { continue }
            // What it deletes is not counted where the base had it, even if that was elsewhere.
            itemsCountFrom[room.lives[node.life].id] = room.lastSerial + 1
        }
        if isEmptied {
            fired.append(doomed.isEmpty ? .sectionDeleted : .sectionDeletedWithItems)
        } else {
            fired.append(doomed.isEmpty ? .sectionNotEmpty : .sectionNotEmptyAnymore)
        }
        return isEmptied
    }

    /// Whether the author's node of an item is seen, stands in the section and was not dead at the
    /// base.
    private func goesWithSection(_ item: Int, _ section: Int) -> Bool {
        let id = room.lives[item].id
        let isAnyLife = mutates(.deleteSectionTakesFormerLife)
        let lives = isAnyLife ? room.knownLives(.item, id) : [item]
        guard let spot = lastSeenSpot(ofLives: lives) else {
            return mutates(.deleteSectionTakesUnseen)
        }
        let isHere = spot.sequence == section || mutates(.deleteSectionTakesFromElsewhere)
        let wasAlive = spot.node.died.map { $0 > base } ?? true
        return isHere && (wasAlive || mutates(.deleteSectionTakesDead))
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
        room.lives[life].deletion = nil
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
            patch.removedSupplementaries.contains(old.kind) && !mutates(.supplementaryStays)
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
        room.keepVersion(ofLife: life, in: revision, by: author)
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
        if knowsOnlyFormer(lives, unless: .formerChangesSection) {
            fired.append(.sectionChangeFormer)
            return nil
        }
        if room.lives[latest].deletion != nil, !mutates(.sectionRevives) {
            fired.append(.sectionChangeDeleted)
            return nil
        }
        return latest
    }
}
