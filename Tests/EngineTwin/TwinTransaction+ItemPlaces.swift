import SyncEngine

extension TwinTransaction {
    /// Refuses a placement that says nothing: an index or the end of no section.
    mutating func checkMeaning(_ placement: Placement) throws(Rejection) {
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
        let (section, isEnd) = try findSection(id, anchor: spot)

        if let anchor, spot == nil, !isPastHorizon {
            fired.append(.anchorUnknown)
            throw rejection(.unknownItem, "No item \(anchor.id) is known.")
        }
        if isEnd { return placeAtEnd(of: section) }
        switch placement.position {
        case .end:
            fired.append(.end)
            return placeAtEnd(of: section)
        case .index(let number):
            if isPastHorizon, let sibling = siblingOfTrail(placement, .item, in: section) {
                fired.append(.indexByTrail)
                return placeAfter(sibling.index, in: section, passing: .afterPassing)
            }
            return place(index: number, in: section, without: moving)
        case .after, .before:
            guard let anchor, let spot else {
                return placeByTrail(placement, in: section)
            }
            if spot.sequence == section { return place(anchor.side, spot) }
            fired.append(.anchorElsewhere)
            return placeAtEnd(of: section)
        }
    }

    /// The author's node of an anchor; past the horizon, where it has seen none, the one that lives,
    /// if it lives in the named section (P8).
    private mutating func anchorSpot(
        _ id: Identifier, in section: Identifier?
    ) -> TwinRoom.Spot? {
        let lives = room.knownLives(.item, id)
        guard isPastHorizon, lastSeenSpot(ofLives: lives) == nil else {
            return authorsSpot(ofLives: lives)
        }
        guard let life = lives.last else { return nil }
        if let spot = room.liveSpot(ofLife: life), section == nil || sectionOf(spot) == section {
            fired.append(.anchorWhereItIs)
            return spot
        }
        fired.append(.anchorMovedAway)
        return nil
    }

    private func sectionOf(_ spot: TwinRoom.Spot?) -> Identifier? {
        spot.map { room.lives[$0.sequence].id }
    }

    // MARK: S2 to S4

    /// The section with that id, and whether the place in it can only be its end.
    private mutating func findSection(
        _ id: Identifier, anchor: TwinRoom.Spot?
    ) throws(Rejection) -> (life: Int, isEnd: Bool) {
        let lives = room.knownLives(.section, id)
        guard let latest = lives.last else {
            guard isPastHorizon else {
                fired.append(.sectionUnknown)
                throw rejection(.unknownSection, "No section \(id) is known.")
            }
            fired.append(.sectionMadeAgain)
            return (makeSection(Section(id: id), at: placeAtEnd(of: TwinRoom.top)), true)
        }
        var isEnd = false
        if knowsOnlyFormer(lives) {
            isEnd = true
            fired.append(lives.count > 1 ? .sectionNotSeen : .sectionNotSeenPastHorizon)
        } else if let anchor, lives.contains(anchor.sequence), anchor.sequence != latest {
            isEnd = true
            fired.append(.sectionInsertedAgain)
        }
        if let deletion = room.lives[latest].deletion {
            if hasSeen(deletion) {
                fired.append(.sectionSeenDeleted)
                throw rejection(.unknownSection, "The section \(id) was deleted.")
            }
            fired.append(isEnd ? .sectionBroughtBackAtEnd : .sectionBroughtBack)
            bringBack(section: latest)
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
        room.lives[life].deletion = nil
        let place = Place(
            sequence: TwinRoom.top, index: last.index + 1, origin: last.node.serial)
        addNode(life: life, author: nil, at: place)
    }

    /// Makes an incarnation of a section; returns its number.
    mutating func makeSection(_ section: Section, at place: Place) -> Int {
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
        guard let sibling = siblingOfTrail(placement, .item, in: section) else {
            fired.append(.trailEnd)
            return placeAtEnd(of: section)
        }
        fired.append(.trail)
        return placeAfter(sibling.index, in: section, passing: .afterPassing)
    }

    /// P7 where neither a section nor a known anchor is named.
    private mutating func placeByTrailAnywhere(
        _ placement: Placement
    ) throws(Rejection) -> Place {
        guard isPastHorizon else {
            fired.append(.anchorUnknown)
            throw rejection(.unknownItem, "The anchor is not known.")
        }
        if let sibling = siblingOfTrail(placement, .item, in: nil) {
            fired.append(.trailAnySection)
            return placeAfter(sibling.index, in: sibling.sequence, passing: .afterPassing)
        }
        let sections = room.sequences[TwinRoom.top] ?? []
        if let first = sections.first(where: { $0.died == nil }) {
            fired.append(.trailFirstSection)
            return placeAtEnd(of: first.life)
        }
        guard let main = TwinRoom.main else { preconditionFailure("`main` is a name") }
        fired.append(.trailMakesMain)
        let end = placeAtEnd(of: TwinRoom.top)
        return placeAtEnd(of: makeSection(Section(id: main), at: end))
    }
}
