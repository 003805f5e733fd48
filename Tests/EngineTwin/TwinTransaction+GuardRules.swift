import SyncModel

/// Which branches of the rules a guard takes.
extension TwinTransaction {
    mutating func note(_ condition: Guard, _ thing: GuardedThing, _ changed: GuardedChanges) {
        fired.append(changed.isEmpty ? .guardUnchanged : .guardChanged)
        let coversMore = condition.place || condition.content || !condition.fields.isEmpty
        switch (thing.then?.node, thing.now?.node) {
        case (nil, nil):
            fired.append(thing.hasLivedInBetween ? .guardLifeInBetween : .guardLifeAtNeither)
            if coversMore { fired.append(.guardPartsOfNeither) }
        case (_?, nil): fired.append(.guardLifeEnded)
        case (nil, _?): fired.append(.guardLifeBegun)
        case (let then?, let now?) where then.life != now.life: fired.append(.guardLifeAnew)
        case (let then?, let now?):
            if thing.isBroughtBack { fired.append(.guardLifeBroughtBack) }
            if condition.place { fired.append(placeRule(thing, from: then, to: now)) }
            if condition.content { fired.append(contentRule(thing)) }
            for name in condition.fields { fired.append(fieldRule(name, thing)) }
        }
        if changed.contains(.life), coversMore { fired.append(.guardPartsNotLookedAt) }
    }

    private func placeRule(_ thing: GuardedThing, from then: Node, to now: Node) -> Rule {
        if then.serial == now.serial {
            return thing.isWhereItWas ? .guardPlaceKept : .guardPlaceKeptAmongOthers
        }
        if thing.isBroughtBack { return .guardPlaceBroughtBack }
        return thing.isWhereItWas ? .guardPlaceMovedBack : .guardPlaceMoved
    }

    private func contentRule(_ thing: GuardedThing) -> Rule {
        let contents = thing.contents()
        if contents.hasChanges {
            return contents.first == contents.last ? .guardContentSetBack : .guardContentChanged
        }
        if thing.contents(isEachWrite: true).hasChanges { return .guardContentSetBackAtOnce }
        return thing.isWritten ? .guardContentWritten : .guardContentKept
    }

    private func fieldRule(_ name: Identifier, _ thing: GuardedThing) -> Rule {
        let contents = thing.contents()
        let values = contents.map { $0.value(of: name) }
        if values.hasChanges {
            if values.first == values.last { return .guardFieldSetBack }
            return values.contains(nil) ? .guardFieldMissing : .guardFieldChanged
        }
        if contents.hasChanges { return .guardFieldKeptAmongOthers }
        return values.contains(nil) ? .guardFieldMissingKept : .guardFieldKept
    }
}
