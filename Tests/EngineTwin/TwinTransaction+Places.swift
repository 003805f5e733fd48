import SyncModel

extension TwinTransaction {
    /// A gap in a sequence.
    struct Place {
        let sequence: Int
        let index: Int
        let origin: Int
    }

    // MARK: P1, P2, P4

    /// P1: to the right of the node at `index` (-1 for the start), past what the author has not
    /// seen and was put there before; never beyond `limit`.
    mutating func placeAfter(
        _ index: Int, in key: Int, limit: Int? = nil, passing rule: Rule
    ) -> Place {
        let sequence = room.sequences[key] ?? []
        let origin = index < 0 ? 0 : sequence[index].serial
        var passed: Set<Int> = [origin]
        var next = index + 1
        while next < limit ?? sequence.count, !hasSeen(sequence[next]),
            passed.contains(sequence[next].origin) || mutates(.passesAllUnseen),
            !mutates(.passesNothing)
        {
            if !mutates(.passesChildrenAlone) { passed.insert(sequence[next].serial) }
            next += 1
        }
        if next > index + 1 { fired.append(rule) }
        if let limit, next == limit { fired.append(.beforeReachingAnchor) }
        return Place(sequence: key, index: next, origin: origin)
    }

    /// P2: to the left past what the author has not seen, then to the right as in P1, but not
    /// beyond `index`.
    mutating func placeBefore(_ index: Int, in key: Int) -> Place {
        let sequence = room.sequences[key] ?? []
        var origin = index - 1
        if mutates(.beforeIsBeside) { return placeBehind(origin, in: key) }
        while origin >= 0, !hasSeen(sequence[origin]) { origin -= 1 }
        fired.append(.before)
        if origin < index - 1 { fired.append(.beforePassingLeft) }
        if origin < 0 { fired.append(.beforeAtStart) }
        if mutates(.beforePassesNothing) { return placeBehind(origin, in: key) }
        let limit = mutates(.beforeGoesBeyond) ? nil : index
        return placeAfter(origin, in: key, limit: limit, passing: .beforePassingRight)
    }

    /// Directly behind a node, whatever stands there. Only mutants do that.
    private func placeBehind(_ index: Int, in key: Int) -> Place {
        let origin = index < 0 ? 0 : room.sequences[key]?[index].serial ?? 0
        return Place(sequence: key, index: index + 1, origin: origin)
    }

    /// P7: after a sibling of the trail.
    mutating func placeAfter(_ sibling: TwinRoom.Spot) -> Place {
        if mutates(.trailPassesNothing) { return placeBehind(sibling.index, in: sibling.sequence) }
        return placeAfter(sibling.index, in: sibling.sequence, passing: .afterPassing)
    }

    /// P4: behind the last node, dead or alive.
    func placeAtEnd(of key: Int) -> Place {
        let sequence = room.sequences[key] ?? []
        if mutates(.endBehindLiving) {
            return placeBehind(sequence.lastIndex { $0.died == nil } ?? -1, in: key)
        }
        return Place(sequence: key, index: sequence.count, origin: sequence.last?.serial ?? 0)
    }

    /// Beside the node of an anchor.
    mutating func place(_ side: Side, _ spot: TwinRoom.Spot) -> Place {
        if spot.node.died != nil {
            fired.append(.afterDead)
            if mutates(.deadAnchorIsEnd) { return placeAtEnd(of: spot.sequence) }
        }
        if !hasSeen(spot.node) { fired.append(.anchorNotSeen) }
        if side == .before { return placeBefore(spot.index, in: spot.sequence) }
        fired.append(.after)
        return placeAfter(spot.index, in: spot.sequence, passing: .afterPassing)
    }

    enum Side {
        case after
        case before
    }

    // MARK: P3

    /// P3: after the n-th of the things as they were at the base.
    mutating func place(index number: UInt64, in key: Int, without moving: Int?) -> Place {
        fired.append(.index)
        if isPastHorizon { fired.append(.indexAtHorizon) }
        let sequence = room.sequences[key] ?? []
        var counted: [Int] = []
        for (index, node) in sequence.enumerated() {
            if let moving, room.lives[node.life].id == room.lives[moving].id {
                if mutates(.movingIsCounted), node.isAlive(at: base) { counted.append(index) }
                continue
            }
            if counts(node, in: key) { counted.append(index) }
        }
        if number >= UInt64(counted.count) {
            fired.append(.endByIndex)
            if mutates(.indexBeyondIsBehindCounted) {
                return placeAfter(counted.last ?? -1, in: key, passing: .indexPassing)
            }
            return placeAtEnd(of: key)
        }
        if number == 0 { fired.append(.indexAtStart) }
        let index = number == 0 ? -1 : counted[Int(number) - 1]
        if mutates(.indexPassesNothing) { return placeBehind(index, in: key) }
        return placeAfter(index, in: key, passing: .indexPassing)
    }

    /// Whether a node counts for this transaction's indices: a live one that the transaction made,
    /// or one that was there at the base, unless the transaction has deleted, moved or made its
    /// thing since.
    private mutating func counts(_ node: Node, in key: Int) -> Bool {
        let isOwn = node.author == author && mutates(.ownTransactionsCount)
        let isMade = node.serial >= firstSerial || isOwn
        let isNow = isMade || mutates(.countsNow) || isPastHorizon && mutates(.pastHorizonCountsNow)
        let isThere =
            isNow ? node.died == nil : node.isAlive(at: max(base, room.horizon))
        guard isThere, !isMade || !mutates(.madeIsNotCounted) else { return false }
        if mutates(.takenIsCounted) { return true }
        let id = room.lives[node.life].id
        let from = key == TwinRoom.top ? sectionsCountFrom[id] : itemsCountFrom[id]
        if let from, node.serial < from {
            fired.append(.indexOverTaken)
            return false
        }
        if key != TwinRoom.top, let from = contentsCountFrom[room.lives[key].id],
            node.serial < from
        {
            fired.append(.indexAfterDeleteSection)
            return false
        }
        if isMade { fired.append(.indexOverMade) }
        return true
    }

    // MARK: P7

    /// P7: the node of the first sibling of the trail that lives in `section`, or anywhere.
    func siblingOfTrail(
        _ placement: Placement, _ kind: ThingKind, in section: Int?
    ) -> TwinRoom.Spot? {
        let trail = mutates(.trailLastSibling) ? placement.trail.reversed() : placement.trail
        let ignored: Mutation = kind == .section ? .sectionTrailIsIgnored : .trailIsIgnored
        if mutates(ignored) { return nil }
        for id in mutates(.trailFirstNameAlone) ? Array(trail.prefix(1)) : trail {
            if let life = room.knownLives(kind, id).last, let spot = room.liveSpot(ofLife: life),
                section == nil || spot.sequence == section
            {
                return spot
            }
        }
        return nil
    }
}

extension Position {
    /// The anchor, and on which side of it the place is.
    var anchor: (side: TwinTransaction.Side, id: Identifier)? {
        switch self {
        case .after(let id): (.after, id)
        case .before(let id): (.before, id)
        case .end, .index: nil
        }
    }
}
