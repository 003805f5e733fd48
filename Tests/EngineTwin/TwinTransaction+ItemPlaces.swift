import SyncModel

extension TwinTransaction {
    /// Refuses a placement that names neither a section nor an anchor (S1).
    mutating func checkMeaning(_ placement: Placement) throws(Rejection) {
        if mutates(.formIsCheckedLate) { return }
        if placement.section == nil, placement.position.anchor == nil {
            fired.append(.malformedPlacement)
            throw rejection(.malformed, "The placement names neither a section nor an anchor.")
        }
    }

    /// The place for an item; `moving` is the life of what moves there.
    mutating func place(
        _ placement: Placement, moving: Int?
    ) throws(Rejection) -> Place {
        let anchor = placement.position.anchor
        let spot = anchor.flatMap { anchorSpot($0.id, in: placement.section) }
        guard let id = placement.section ?? sectionOf(spot) else {
            return try placeByTrailAnywhere(placement)
        }
        if placement.section == nil { fired.append(.sectionOfAnchor) }
        if checksAnchorFirst(id) { try checkAnchor(anchor?.id, spot) }
        let (section, isEnd) = try findSection(id, anchor: spot)

        if isEnd, mutates(.endWithoutAnchor) { return placeAtEnd(of: section) }
        try checkAnchor(anchor?.id, spot)
        if isEnd, let place = try placeInFormer(section, spot) { return place }
        if isEnd { return placeAtEnd(of: section) }
        switch placement.position {
        case .end:
            fired.append(.end)
            return placeAtEnd(of: section)
        case .index(let number):
            if isPastHorizon, !mutates(.indexIgnoresTrail),
                let sibling = siblingOfTrail(placement, .item, in: section)
            {
                fired.append(.indexByTrail)
                return placeAfter(sibling.index, in: section, passing: .afterPassing)
            }
            return place(index: number, in: section, without: moving)
        case .after, .before:
            guard let anchor, let spot else {
                return placeByTrail(placement, in: section)
            }
            if spot.sequence == section || mutates(.anchorElsewhereWins) {
                return place(anchor.side, spot)
            }
            fired.append(.anchorElsewhere)
            return placeAtEnd(of: section)
        }
    }

    private mutating func checkAnchor(
        _ anchor: Identifier?, _ spot: TwinRoom.Spot?
    ) throws(Rejection) {
        guard let anchor, spot == nil else { return }
        if isPastHorizon, !mutates(.unknownAnchorRefusedPastHorizon) { return }
        fired.append(.anchorUnknown)
        throw rejection(.unknownItem, "No item \(anchor) is known.")
    }

    /// The author's node of an anchor; past the horizon, where it has seen none, the one that
    /// lives, if it lives in the named section (P8).
    private mutating func anchorSpot(
        _ id: Identifier, in section: Identifier?
    ) -> TwinRoom.Spot? {
        let lives = room.knownLives(.item, id)
        guard isPastHorizon, lastSeenSpot(ofLives: lives) == nil else {
            return authorsSpot(ofLives: lives)
        }
        guard let life = lives.last else { return nil }
        if mutates(.anchorIsNotFollowed) { return nil }
        let isAnywhere = section == nil || mutates(.anchorIsFollowedAnywhere)
        if let spot = room.liveSpot(ofLife: life), isAnywhere || sectionOf(spot) == section {
            fired.append(.anchorWhereItIs)
            return spot
        }
        fired.append(.anchorMovedAway)
        return nil
    }

    private func sectionOf(_ spot: TwinRoom.Spot?) -> Identifier? {
        guard let spot else { return nil }
        let isNow = mutates(.anchorsSectionNow)
        let now = isNow ? room.liveSpot(ofLife: spot.node.life) : nil
        return room.lives[(now ?? spot).sequence].id
    }

    /// Whether it looks at the anchor before the section. Only mutants do.
    private func checksAnchorFirst(_ section: Identifier) -> Bool {
        let isKnown = !room.knownLives(.section, section).isEmpty
        return mutates(isKnown ? .anchorBeforeDeletedSection : .anchorBeforeUnknownSection)
    }

    /// Where it puts what stood beside an anchor in a former incarnation. Only mutants do that.
    private mutating func placeInFormer(
        _ section: Int, _ spot: TwinRoom.Spot?
    ) throws(Rejection) -> Place? {
        guard let spot, spot.sequence != section,
            room.lives[spot.sequence].id == room.lives[section].id
        else { return nil }
        if mutates(.formerSectionsAnchorUnknown) {
            throw rejection(.unknownItem, "The anchor is not known.")
        }
        guard mutates(.formerSectionsAnchorAtStart) else { return nil }
        return placeAfter(-1, in: section, passing: .afterPassing)
    }

    // MARK: S2 to S4

    /// The section with that id, and whether the place in it can only be its end.
    private mutating func findSection(
        _ id: Identifier, anchor: TwinRoom.Spot?
    ) throws(Rejection) -> (life: Int, isEnd: Bool) {
        let lives = room.knownLives(.section, id)
        guard let latest = lives.last else {
            guard isPastHorizon, !mutates(.unknownSectionRefusedPastHorizon) else {
                fired.append(.sectionUnknown)
                throw rejection(.unknownSection, "No section \(id) is known.")
            }
            fired.append(.sectionMadeAgain)
            return (makeSectionAgain(id), true)
        }
        var isEnd = false
        let opening: Mutation =
            lives.count > 1 ? .formerSectionIsOpened : .unseenSectionPastHorizonIsOpened
        if knowsOnlyFormer(lives, unless: opening) {
            isEnd = true
            fired.append(lives.count > 1 ? .sectionNotSeen : .sectionNotSeenPastHorizon)
        } else if let anchor, lives.contains(anchor.sequence), anchor.sequence != latest {
            isEnd = true
            fired.append(.sectionInsertedAgain)
        }
        if let deletion = room.lives[latest].deletion {
            let isSeen = hasSeen(deletion) && !mutates(.seenDeletionIsTakenBack)
            if isSeen || mutates(.unseenDeletionRefuses) {
                fired.append(.sectionSeenDeleted)
                throw rejection(.unknownSection, "The section \(id) was deleted.")
            }
            fired.append(isEnd ? .sectionBroughtBackAtEnd : .sectionBroughtBack)
            bringBack(section: latest)
            if mutates(.broughtBackIsEnd) { isEnd = true }
        } else {
            fired.append(.sectionLives)
        }
        return (latest, isEnd)
    }

    /// S3: a node that is nobody's, directly to the right of the last one.
    private mutating func bringBack(section life: Int) {
        guard
            let last = room.spots(ofLives: [life]).max(by: { $0.node.serial < $1.node.serial })
        else { preconditionFailure("a known section has a node") }
        let deletion = room.lives[life].deletion
        room.lives[life].deletion = nil
        var place = Place(
            sequence: TwinRoom.top, index: last.index + 1,
            origin: mutates(.broughtBackFromStart) ? 0 : last.node.serial)
        if mutates(.broughtBackAtEnd) { place = placeAtEnd(of: TwinRoom.top) }
        addNode(life: life, author: mutates(.revivedSectionIsRevivers) ? author : nil, at: place)
        if mutates(.broughtBackEmpty) { room.lives[life].section = SectionContent() }
        if mutates(.broughtBackWithItems) { bringBackItems(life, deletion?.revision ?? 0) }
    }

    /// Brings items back with their section. Only mutants do that.
    private mutating func bringBackItems(_ section: Int, _ revision: Revision) {
        for node in room.sequences[section] ?? [] where node.died == revision {
            guard room.lives[node.life].deletion?.byDeleteSection == true else { continue }
            room.lives[node.life].deletion = nil
            addNode(life: node.life, author: nil, at: placeAtEnd(of: section))
        }
    }

    /// S4: without content, at the end of the room.
    private mutating func makeSectionAgain(_ id: Identifier) -> Int {
        let end = placeAtEnd(of: TwinRoom.top)
        let start = Place(sequence: TwinRoom.top, index: 0, origin: 0)
        return makeSection(
            ListSection(id: id), at: mutates(.madeAgainAtStart) ? start : end,
            isNobodys: mutates(.madeAgainNobodys))
    }

    /// Makes an incarnation of a section; returns its number.
    mutating func makeSection(
        _ section: ListSection, at place: Place, isNobodys: Bool = false
    ) -> Int {
        let author = isNobodys ? nil : author
        var life = Life(kind: .section, id: section.id, born: revision, author: author)
        life.section = section.content
        let number = room.addLife(life)
        addNode(life: number, author: author, at: place)
        room.writes.sections.append((revision, section.id))
        return number
    }

    // MARK: P7

    /// P7 in a section: after the first sibling of the trail that lives there, else at its end.
    private mutating func placeByTrail(_ placement: Placement, in section: Int) -> Place {
        let named = mutates(.trailAnywhere) ? nil : section
        guard let sibling = siblingOfTrail(placement, .item, in: named) else {
            fired.append(.trailEnd)
            return placeAtEnd(of: section)
        }
        fired.append(.trail)
        return placeAfter(sibling)
    }

    /// P7 where neither a section nor a known anchor is named.
    private mutating func placeByTrailAnywhere(
        _ placement: Placement
    ) throws(Rejection) -> Place {
        if placement.position.anchor == nil {
            throw rejection(.malformed, "The placement names neither a section nor an anchor.")
        }
        guard isPastHorizon, !mutates(.unknownAnchorRefusedPastHorizon) else {
            fired.append(.anchorUnknown)
            throw rejection(.unknownItem, "The anchor is not known.")
        }
        if let sibling = siblingOfTrail(placement, .item, in: nil) {
            fired.append(.trailAnySection)
            return placeAfter(sibling)
        }
        let sections = (room.sequences[TwinRoom.top] ?? []).filter { $0.died == nil }
        if let first = mutates(.lastSectionsEnd) ? sections.last : sections.first {
            fired.append(.trailFirstSection)
            return placeAtEnd(of: first.life)
        }
        let main = TwinRoom.main
        fired.append(.trailMakesMain)
        if mutates(.mainIsNotMade) { throw rejection(.unknownItem, "The anchor is not known.") }
        if mutates(.mainIsBroughtBack), let known = room.knownLives(.section, main).last {
            bringBack(section: known)
            return placeAtEnd(of: known)
        }
        let end = placeAtEnd(of: TwinRoom.top)
        return placeAtEnd(of: makeSection(ListSection(id: main), at: end))
    }
}
