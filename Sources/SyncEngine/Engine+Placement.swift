import SyncBytes
import SyncModel
import SyncTree

/// A place in `sequence`, directly right of `left`; 0 is the start. A node that is put there gets
/// `origin` as its origin.
struct Place {
    var sequence: OrderTree.SequenceID
    var left: NodeID
    var origin: NodeID
    /// Where `left` is in the tree, if it was found by its index.
    var found: LivePlace?
}

/// An anchor of a placement, as the author knew it.
private enum Anchor {
    case node(NodeID)
    /// Its place is forgotten: the trail or the section's end decides (P7).
    case forgotten
}

/// Finding the section and the place that a placement means.
extension Engine {
    // MARK: Items

    /// The place for an item that is inserted, or that moves. It may bring a section back (S3).
    func place(anItemAt placement: PlacementView, moving: ThingID = 0) throws(Stop) -> Place {
        guard let name = placement.section else {
            return try place(besideAnchorOf: placement)
        }
        let (sequence, isEnd) = try openSection(named: name)
        switch placement.position {
        case .end:
            return end(of: sequence)
        case .index(let index):
            if isEnd { return end(of: sequence) }
            return place(at: index, in: sequence, moving: moving, trail: placement.trail)
        case .after(let id), .before(let id):
            switch try itemAnchor(id, in: sequence) {
            case .forgotten:
                if isEnd { return end(of: sequence) }
                return sibling(placement.trail, in: sequence) ?? end(of: sequence)
            case .node(let node):
                if isEnd || nodes[node].sequence != sequence { return end(of: sequence) }
                return place(placement.position, besideNode: node, in: sequence)
            }
        }
    }

    /// The place for an item whose placement names no section: the anchor's section is meant (S1).
    private func place(besideAnchorOf placement: PlacementView) throws(Stop) -> Place {
        guard let anchor = placement.anchor else { return firstSectionsEnd() }
        switch try itemAnchor(anchor, in: 0) {
        case .forgotten:
            if let place = sibling(placement.trail, in: 0) { return place }
            return firstSectionsEnd()
        case .node(let node):
            let section = sectionOfSequence[Int(nodes[node].sequence)]
            let (sequence, isEnd) = try open(section)
            if isEnd || nodes[node].sequence != sequence { return end(of: sequence) }
            return place(placement.position, besideNode: node, in: sequence)
        }
    }

    /// The node of an anchor; `sequence` is the one of the named section, or 0.
    private func itemAnchor(
        _ id: UnsafeRawBufferPointer, in sequence: OrderTree.SequenceID
    ) throws(Stop) -> Anchor {
        let thing = findItem(id)
        if thing == 0 {
            if draft.isPastHorizon { return .forgotten }
            throw unknownItem(id)
        }
        let seen = seenNode(of: thing)
        if seen != 0 { return .node(seen) }
        let node = things[thing].node
        guard draft.isPastHorizon else { return .node(node) }
        let isThere = isAlive(thing) && (sequence == 0 || nodes[node].sequence == sequence)
        return isThere ? .node(node) : .forgotten
    }

    /// The place after the first item of a trail that lives in `sequence` (anywhere, for 0).
    func sibling(_ trail: MessageParts, in sequence: OrderTree.SequenceID) -> Place? {
        for id in trail {
            let thing = findItem(id.body)
            guard thing != 0, isAlive(thing) else { continue }
            let node = things[thing].node
            guard sequence == 0 || nodes[node].sequence == sequence else { continue }
            return place(after: node, in: nodes[node].sequence)
        }
        return nil
    }

    /// The end of the first section, which is made if there is none (P7). It is the place if the
    /// placement names no section and all that it names is forgotten.
    private func firstSectionsEnd() -> Place {
        let first = tree.select(0, in: sectionSequence)
        if first != 0 { return end(of: nodes[first].sequence) }
        let thing = Engine.firstSection.withBytes { makeEmptySection($0) }
        return end(of: things[thing].sequence)
    }

    // MARK: A section to put items in

    private func openSection(
        named id: UnsafeRawBufferPointer
    ) throws(Stop) -> (sequence: OrderTree.SequenceID, isEnd: Bool) {
        let thing = findSection(id)
        if thing != 0 { return try open(thing) }
        guard draft.isPastHorizon else { throw unknownSection(id) }
        return (things[makeEmptySection(id)].sequence, true)
    }

    /// The sequence of a section's latest incarnation, and whether its author can only mean its end
    /// (S2). A deleted section is brought back, or refused (S3).
    private func open(
        _ section: ThingID
    ) throws(Stop) -> (sequence: OrderTree.SequenceID, isEnd: Bool) {
        let isEnd = knowsOnlyFormer(section)
        if !isAlive(section) {
            if hasSeenDeletion(of: section) {
                throw id(ofThing: section) { unknownSection($0) }
            }
            revive(section)
        }
        return (things[section].sequence, isEnd)
    }

    // MARK: Sections

    /// The place for a section that is inserted, or that moves.
    func place(aSectionAt placement: PlacementView, moving: ThingID = 0) throws(Stop) -> Place {
        guard placement.section == nil else {
            throw .refused(.malformed, "a section's placement names no section")
        }
        switch placement.position {
        case .end:
            return end(of: sectionSequence)
        case .index(let index):
            return place(at: index, in: sectionSequence, moving: moving, trail: placement.trail)
        case .after(let id), .before(let id):
            let thing = findSection(id)
            if thing == 0, !draft.isPastHorizon { throw unknownSection(id) }
            let seen = thing == 0 ? 0 : seenNode(of: thing)
            if seen != 0 {
                return place(placement.position, besideNode: seen, in: sectionSequence)
            }
            if thing != 0, !draft.isPastHorizon || isAlive(thing) {
                return place(
                    placement.position, besideNode: things[thing].node, in: sectionSequence)
            }
            return sectionSibling(placement.trail) ?? end(of: sectionSequence)
        }
    }

    func sectionSibling(_ trail: MessageParts) -> Place? {
        for id in trail {
            let thing = findSection(id.body)
            guard thing != 0, isAlive(thing) else { continue }
            return place(after: things[thing].node, in: sectionSequence)
        }
        return nil
    }

    // MARK: Places in a sequence

    /// Behind all nodes, dead or alive (P4).
    func end(of sequence: OrderTree.SequenceID) -> Place {
        Place(
            sequence: sequence, left: tree.last(sequence), origin: lastRemembered(in: sequence))
    }

    private func place(
        _ position: PlacementView.Position, besideNode node: NodeID,
        in sequence: OrderTree.SequenceID
    ) -> Place {
        guard case .before = position else { return place(after: node, in: sequence) }
        let left = lastSeen(before: node, in: sequence)
        return place(after: left, in: sequence, before: node)
    }

    /// Right of `origin` and of what others put there, but not beyond `limit` (P1, P2).
    func place(
        after origin: NodeID, in sequence: OrderTree.SequenceID, before limit: NodeID = 0
    ) -> Place {
        // An author at the room's revision has seen all nodes and all deletions, so no section was
        // brought back for it either.
        if draft.isCurrent { return Place(sequence: sequence, left: origin, origin: origin) }
        let left = lastPut(behind: origin, in: sequence, before: limit)
        return Place(sequence: sequence, left: left, origin: origin)
    }

    /// Whether a node's origin is `origin` or one of the nodes between that and `last`.
    func originates(_ node: NodeID, from origin: NodeID, passing last: NodeID) -> Bool {
        let itsOrigin = nodes[node].origin
        if itsOrigin == 0 { return origin == 0 }
        // If the number was used again, the node there is younger.
        guard nodes[itsOrigin].thing != 0, nodes[itsOrigin].born <= nodes[node].born,
            !isForgotten(itsOrigin)
        else { return false }
        if itsOrigin == origin || itsOrigin == last { return true }
        if last == origin { return false }
        guard isSameSequence(itsOrigin, last) else { return false }
        let key = tree.locate(itsOrigin).key
        let isBehindOrigin = origin == 0 || key > tree.locate(origin).key
        return isBehindOrigin && key <= tree.locate(last).key
    }

    private func isSameSequence(_ left: NodeID, _ right: NodeID) -> Bool {
        let isSection = things[nodes[left].thing].isSection
        guard isSection == things[nodes[right].thing].isSection else { return false }
        return isSection || nodes[left].sequence == nodes[right].sequence
    }
}
