import SyncModel

extension TwinTransaction {
    /// O1
    mutating func insert(_ item: Item, _ to: Placement) throws(Rejection) -> Superseded.Reason? {
        try checkMeaning(to)
        let latest = room.knownLives(.item, item.id).last
        if let latest, room.lives[latest].deletion == nil {
            if mutates(.existsIsPlaced) { _ = try place(to, moving: nil) }
            if mutates(.existsCountsNowhere) { itemsCountFrom[item.id] = room.lastSerial + 1 }
            fired.append(.insertExists)
            return mutates(.existsIsNoLoss) ? nil : .exists
        }
        let place = try place(to, moving: mutates(.formerLifeIsNotCounted) ? latest : nil)
        if mutates(.insertAsksAcceptsMoves) { try checkAcceptance(place) }
        var life = Life(kind: .item, id: item.id, born: revision, author: author)
        life.item = item.content
        if let latest, mutates(.insertedAgainIsTheSame) {
            room.lives[latest].deletion = nil
            room.lives[latest].item = item.content
            addNode(life: latest, author: author, at: place)
        } else {
            addNode(life: room.addLife(life), author: author, at: place)
        }
        room.writes.items.append((revision, item.id))
        fired.append(latest == nil ? .inserted : .insertedAgain)
        return nil
    }

    /// O2
    mutating func delete(_ id: Identifier) throws(Rejection) -> Superseded.Reason? {
        let countedFrom = itemsCountFrom[id]
        itemsCountFrom[id] = room.lastSerial + 1
        let lives = room.knownLives(.item, id)
        guard let latest = lives.last else {
            try checkUnknown(.item, id)
            return nil
        }
        let isUnseenPastHorizon = mutates(.unseenPastHorizonDeletes) && lives.count == 1
        if knowsOnlyFormer(lives, unless: .formerDeletes), !isUnseenPastHorizon {
            if mutates(.formerDeletesByName) {
                room.lives[latest].deletion?.byDeleteSection = false
            }
            if mutates(.takenInVainIsCounted) { itemsCountFrom[id] = countedFrom }
            fired.append(.deleteFormer)
            return nil
        }
        guard let spot = room.liveSpot(ofLife: latest) else {
            if mutates(.takenInVainIsCounted) { itemsCountFrom[id] = countedFrom }
            deleteByName(latest)
            return mutates(.goneIsLost) ? .deleted : nil
        }
        if !room.lives[latest].item.flags.contains(.deletable), !mutates(.deletesAnything) {
            fired.append(.deleteNotAllowed)
            throw rejection(.notAllowed, "The item \(id) can't be deleted.")
        }
        delete(spot, byDeleteSection: mutates(.earlierNameIsForgotten))
        fired.append(.deleted)
        return nil
    }

    /// O2: what a `deleteSection` deleted counts as deleted by name from now on.
    private mutating func deleteByName(_ life: Int) {
        guard let deletion = room.lives[life].deletion, deletion.byDeleteSection else {
            fired.append(.deleteGone)
            return
        }
        let isForgotten = mutates(.laterNameIsForgotten)
        room.lives[life].deletion?.byDeleteSection = isForgotten
        fired.append(.deleteByNameLater)
    }

    /// O3
    mutating func move(_ id: Identifier, _ to: Placement) throws(Rejection) -> Superseded.Reason? {
        try checkMeaning(to)
        let isBesideItself = to.position.anchor?.id == id
        let countedFrom = itemsCountFrom[id]
        if !isBesideItself || mutates(.besideItselfTakesOut) {
            itemsCountFrom[id] = room.lastSerial + 1
        }
        let lives = room.knownLives(.item, id)
        guard let latest = lives.last else {
            try checkUnknown(.item, id)
            return .deleted
        }
        if try isLost(lives, latest, to, isBesideItself) {
            if mutates(.takenInVainIsCounted) { itemsCountFrom[id] = countedFrom }
            if mutates(.besideItselfTakesDeletedOut) { itemsCountFrom[id] = room.lastSerial + 1 }
            return .deleted
        }
        let mayMove = room.lives[latest].item.flags.contains(.movable) || mutates(.movesAnything)
        if !mayMove, !(isBesideItself && mutates(.besideItselfAsksNothing)) {
            fired.append(.moveNotAllowed)
            throw rejection(.notAllowed, "The item \(id) can't be moved.")
        }
        if isBesideItself, !mutates(.besideItselfMoves), room.lives[latest].deletion == nil {
            if mutates(.besideItselfAsksSection) {
                try checkAcceptance(try place(to, moving: latest))
            }
            fired.append(.itself)
            return nil
        }
        try put(latest, to)
        return nil
    }

    /// Whether a move is lost.
    private mutating func isLost(
        _ lives: [Int], _ latest: Int, _ to: Placement, _ isBesideItself: Bool
    ) throws(Rejection) -> Bool {
        if knowsOnlyFormer(lives, unless: .formerMoves) {
            fired.append(.moveFormer)
            return true
        }
        if mutates(.firstMoveWins), let spot = room.liveSpot(ofLife: latest), !hasSeen(spot.node) {
            return hasSeen(life: latest)
        }
        guard let deletion = room.lives[latest].deletion else { return false }
        let isSeen = hasSeen(deletion) && !mutates(.moveRevivesSeen)
        let stays = isBesideItself && !mutates(.besideItselfRevives)
        guard stays || !deletion.byDeleteSection || isSeen || mutates(.moveNeverRevives) else {
            return false
        }
        if mutates(.lostIsPlaced) { _ = try place(to, moving: latest) }
        fired.append(isBesideItself ? .itselfDeleted : .moveDeleted)
        return true
    }

    /// Ends the node of an item, if it lives, and makes one at the place.
    private mutating func put(_ life: Int, _ to: Placement) throws(Rejection) {
        let place = try place(to, moving: life)
        if !mutates(.movesAnywhere) { try checkAcceptance(place) }
        let isRevived = room.lives[life].deletion != nil
        if let old = room.liveSpot(ofLife: life) {
            room.end(old, in: revision)
            fired.append(.moved)
        } else {
            fired.append(.moveRevived)
        }
        room.lives[life].deletion = nil
        let isNobodys = isRevived && mutates(.revivedIsNobodys)
        addNode(life: life, author: isNobodys ? nil : author, at: place)
    }

    private mutating func checkAcceptance(_ place: Place) throws(Rejection) {
        if room.lives[place.sequence].section.flags.contains(.acceptsMoves) { return }
        fired.append(.moveNotAccepted)
        throw rejection(.notAllowed, "Nothing can be moved into that section.")
    }

    /// O4
    mutating func update(
        _ id: Identifier, _ patch: ItemPatch
    ) throws(Rejection) -> Superseded.Reason? {
        guard let life = try lifeToChange(id) else { return .deleted }
        if !room.lives[life].item.flags.contains(.editable), !mutates(.updatesAnything) {
            let isElseEmpty =
                patch.set.isEmpty && patch.unset.isEmpty && patch.size == nil && patch.kind == nil
            let isFlagsAlone =
                (!patch.flags.isEmpty || mutates(.emptyIsFlagsAlone))
                && (isElseEmpty || mutates(.flagsAmongOthersAllowed))
            guard isFlagsAlone, !mutates(.flagsAloneRefused) else {
                fired.append(.updateNotAllowed)
                throw rejection(.notAllowed, "The item \(id) can't be edited.")
            }
            fired.append(.updateFlagsAlone)
        }
        var parts = room.lives[life].item.parts
        if mutates(.fieldsAreReplaced), !patch.set.isEmpty { parts.fields = [] }
        merge(set: patch.set, unset: patch.unset, into: &parts.fields)
        switch patch.size {
        case .set(let size): parts.size = size
        case .clear: parts.size = nil
        case nil: break
        }
        switch patch.kind {
        case .set(let kind): parts.kind = kind
        case .clear: parts.kind = nil
        case nil: break
        }
        parts.flags = patch.flags.applied(to: parts.flags)
        try write(parts, life)
        fired.append(.updated)
        return nil
    }

    /// O4
    mutating func increment(
        _ id: Identifier, _ field: Identifier, _ by: Double
    ) throws(Rejection) -> Superseded.Reason? {
        guard let life = try lifeToChange(id) else { return .deleted }
        let mayEdit = mutates(.incrementAsksNothing) || mutates(.updatesAnything)
        if !room.lives[life].item.flags.contains(.editable), !mayEdit {
            fired.append(.updateNotAllowed)
            throw rejection(.notAllowed, "The item \(id) can't be edited.")
        }
        var parts = room.lives[life].item.parts
        var value = parts.fields.first { $0.name == field }?.value
        if value == nil { fired.append(.incrementMissing) }
        if value == nil, mutates(.missingIsNoNumber) { return .notNumber }
        if mutates(.noNumberCountsFromZero), value?.isNumber == false { value = nil }
        guard case .number(let number) = value ?? .number(0) else {
            fired.append(.incrementNoNumber)
            return .notNumber
        }
        guard (number + by).isFinite else {
            fired.append(.incrementOverflow)
            return mutates(.overflowIsNoLoss) ? nil : .notNumber
        }
        let sum = Field(name: field, value: .number(number + by))
        merge(set: [sum], unset: [], into: &parts.fields)
        try write(parts, life)
        fired.append(.incremented)
        return nil
    }

    // MARK: Parts

    /// The life that an update or an increment works on, if it is not lost.
    private mutating func lifeToChange(_ id: Identifier) throws(Rejection) -> Int? {
        let lives = room.knownLives(.item, id)
        guard let latest = lives.last else {
            try checkUnknown(.item, id)
            return nil
        }
        if knowsOnlyFormer(lives, unless: .formerUpdates) {
            fired.append(.updateFormer)
            return nil
        }
        if room.lives[latest].deletion != nil {
            fired.append(.updateDeleted)
            return nil
        }
        return latest
    }

    /// O8: refuses an unknown id, unless the base is past the horizon.
    mutating func checkUnknown(_ kind: ThingKind, _ id: Identifier) throws(Rejection) {
        if isPastHorizon, !mutates(.unknownRefusedPastHorizon) {
            fired.append(.unknownPastHorizon)
            return
        }
        fired.append(kind == .item ? .unknownItem : .unknownSection)
        let code: Rejection.Code = kind == .item ? .unknownItem : .unknownSection
        throw rejection(code, "Nothing called \(id) is known.")
    }

    private mutating func write(_ parts: ItemParts, _ life: Int) throws(Rejection) {
        do {
            room.lives[life].item = try ItemContent(
                kind: parts.kind, size: parts.size, fields: parts.fields, flags: parts.flags)
        } catch {
            throw rejection(.malformed, "The content can't be written: \(error).")
        }
        room.writes.items.append((revision, room.lives[life].id))
        room.keepVersion(ofLife: life, in: revision, by: author)
    }

    func merge(set: [Field], unset: [Identifier], into fields: inout [Field]) {
        fields.removeAll { field in
            unset.contains(field.name) || set.contains { $0.name == field.name }
        }
        fields += set
    }
}

extension Value {
    fileprivate var isNumber: Bool {
        if case .number = self { true } else { false }
    }
}
