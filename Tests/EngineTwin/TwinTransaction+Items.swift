import SyncEngine

extension TwinTransaction {
    /// O1
    mutating func insert(_ item: Item, _ to: Placement) throws(Rejection) -> Superseded.Reason? {
        try checkMeaning(to)
        let latest = room.knownLives(.item, item.id).last
        if let latest, room.lives[latest].deletion == nil {
            fired.append(.insertExists)
            return .exists
        }
        let place = try place(to, moving: nil)
        var life = Life(kind: .item, id: item.id, born: revision, author: author)
        life.item = item.content
        addNode(life: room.addLife(life), author: author, at: place)
        room.writes.items.append((revision, item.id))
        fired.append(latest == nil ? .inserted : .insertedAgain)
        return nil
    }

    /// O2
    mutating func delete(_ id: Identifier) throws(Rejection) -> Superseded.Reason? {
        itemsCountFrom[id] = room.lastSerial + 1
        let lives = room.knownLives(.item, id)
        guard let latest = lives.last else {
            try checkUnknown(.item, id)
            return nil
        }
        if knowsOnlyFormer(lives) {
            fired.append(.deleteFormer)
            return nil
        }
        guard let spot = room.liveSpot(ofLife: latest) else {
            deleteByName(latest)
            return nil
        }
        if !room.lives[latest].item.flags.contains(.deletable) {
            fired.append(.deleteNotAllowed)
            throw rejection(.notAllowed, "The item \(id) can't be deleted.")
        }
        delete(spot, byDeleteSection: false)
        fired.append(.deleted)
        return nil
    }

    /// O2: what a `deleteSection` deleted is from now on deleted by name.
    private mutating func deleteByName(_ life: Int) {
        guard let deletion = room.lives[life].deletion, deletion.byDeleteSection else {
            fired.append(.deleteGone)
            return
        }
        room.lives[life].deletion?.byDeleteSection = false
        fired.append(.deleteByNameLater)
    }

    /// O3
    mutating func move(_ id: Identifier, _ to: Placement) throws(Rejection) -> Superseded.Reason? {
        try checkMeaning(to)
        let isBesideItself = to.position.anchor?.id == id
        if !isBesideItself { itemsCountFrom[id] = room.lastSerial + 1 }
        let lives = room.knownLives(.item, id)
        guard let latest = lives.last else {
            try checkUnknown(.item, id)
            return .deleted
        }
        if knowsOnlyFormer(lives) {
            fired.append(.moveFormer)
            return .deleted
        }
        if let deletion = room.lives[latest].deletion {
            if isBesideItself || !deletion.byDeleteSection || hasSeen(deletion) {
                fired.append(isBesideItself ? .itselfDeleted : .moveDeleted)
                return .deleted
            }
        }
        if !room.lives[latest].item.flags.contains(.movable) {
            fired.append(.moveNotAllowed)
            throw rejection(.notAllowed, "The item \(id) can't be moved.")
        }
        if isBesideItself {
            fired.append(.itself)
            return nil
        }
        try put(latest, to)
        return nil
    }

    /// Ends the node of an item, if it lives, and makes one at the place.
    private mutating func put(_ life: Int, _ to: Placement) throws(Rejection) {
        let place = try place(to, moving: life)
        if !room.lives[place.sequence].section.flags.contains(.acceptsMoves) {
            fired.append(.moveNotAccepted)
            throw rejection(.notAllowed, "Nothing can be moved into that section.")
        }
        if let old = room.liveSpot(ofLife: life) {
            room.end(old, in: revision)
            fired.append(.moved)
        } else {
            fired.append(.moveRevived)
        }
        room.lives[life].deletion = nil
        addNode(life: life, author: author, at: place)
    }

    /// O4
    mutating func update(
        _ id: Identifier, _ patch: ItemPatch
    ) throws(Rejection) -> Superseded.Reason? {
        guard let life = try lifeToChange(id) else { return .deleted }
        if !room.lives[life].item.flags.contains(.editable) {
            let isFlagsAlone =
                !patch.flags.isEmpty && patch.set.isEmpty && patch.unset.isEmpty
                && patch.size == nil && patch.kind == nil
            guard isFlagsAlone else {
                fired.append(.updateNotAllowed)
                throw rejection(.notAllowed, "The item \(id) can't be edited.")
            }
            fired.append(.updateFlagsAlone)
        }
        var parts = room.lives[life].item.parts
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
        if !room.lives[life].item.flags.contains(.editable) {
            fired.append(.updateNotAllowed)
            throw rejection(.notAllowed, "The item \(id) can't be edited.")
        }
        var parts = room.lives[life].item.parts
        let value = parts.fields.first { $0.name == field }?.value
        if value == nil { fired.append(.incrementMissing) }
        guard case .number(let number) = value ?? .number(0) else {
            fired.append(.incrementNoNumber)
            return .notNumber
        }
        guard (number + by).isFinite else {
            fired.append(.incrementOverflow)
            return .notNumber
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
        if knowsOnlyFormer(lives) {
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
        if isPastHorizon {
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
    }

    func merge(set: [Field], unset: [Identifier], into fields: inout [Field]) {
        fields.removeAll { field in
            unset.contains(field.name) || set.contains { $0.name == field.name }
        }
        fields += set
    }
}
