import SyncModel

/// A transaction that is being applied: a copy of the room that its operations change, and what the
/// rules need to know about its author and its earlier operations.
struct TwinTransaction {
    var room: TwinRoom
    /// The room without this transaction's operations.
    let before: TwinRoom
    let transaction: ListTransaction
    let author: Int
    let base: Revision
    /// B3
    let hasSeenNothing: Bool
    /// The revision it makes if it is accepted.
    let revision: Revision
    /// Nodes from this serial on were made by this transaction, including its revivals.
    let firstSerial: Int

    /// Nodes of an item made before this serial do not count: the transaction deleted, moved or
    /// made the item when so many nodes had been made.
    var itemsCountFrom: [Identifier: Int] = [:]
    /// The same for sections.
    var sectionsCountFrom: [Identifier: Int] = [:]
    /// The same for all items of a section, after a `deleteSection`.
    var contentsCountFrom: [Identifier: Int] = [:]

    /// The index of the operation being applied.
    var operation = 0
    var superseded: [Superseded] = []
    var fired: [Rule] = []
    private let mutation: Mutation?

    init(
        room: TwinRoom, author: Identifier, transaction: ListTransaction, mutation: Mutation?
    ) {
        var room = room
        self.author = room.number(of: author)
        self.transaction = transaction
        hasSeenNothing = transaction.hasSeenNothing
        self.mutation = mutation
        base = transaction.base
        revision = room.revision + 1
        firstSerial = room.lastSerial + 1
        before = room
        self.room = room
    }

    /// Whether it gets this clause wrong on purpose.
    func mutates(_ clause: Mutation) -> Bool { mutation == clause }

    /// B2, B3
    var isPastHorizon: Bool {
        if hasSeenNothing { return true }
        if mutates(.neverPastHorizon) { return false }
        return base < room.horizon || mutates(.pastHorizonAtHorizon) && base == room.horizon
    }

    /// Applies all operations, each with its guard.
    mutating func apply() throws(Rejection) {
        if hasSeenNothing {
            fired.append(.nothingSeen)
        } else if isPastHorizon {
            fired.append(.basePastHorizon)
        }
        try judgeAhead()
        for (index, operation) in transaction.operations.enumerated() {
            self.operation = index
            guard let lost = try applyGuarded(operation) else { continue }
            if mutates(.allRefusesEveryLoss), transaction.isAllOrNothing { throw conflict() }
            superseded.append(lost)
            if mutates(.lossEndsTransaction) { return }
        }
        if transaction.isAllOrNothing { fired.append(superseded.isEmpty ? .allApplied : .allLost) }
    }

    /// Applies an operation; returns how it was lost, if it was.
    private mutating func applyGuarded(
        _ operation: ListOperation
    ) throws(Rejection) -> Superseded? {
        if case .guarded(let inner, let condition) = operation {
            return try apply(inner.unguarded, ifUnchanged: condition)
        }
        return lost(try apply(operation))
    }

    func lost(_ reason: Superseded.Reason?) -> Superseded? {
        reason.map { Superseded(operation: operation, reason: $0) }
    }

    /// Applies an operation without its guard; returns why it was lost, if it was.
    mutating func apply(_ operation: ListOperation) throws(Rejection) -> Superseded.Reason? {
        switch operation {
        case .insert(let item, let to): try insert(item, to)
        case .delete(let id): try delete(id)
        case .move(let id, let to): try move(id, to)
        case .update(let id, let patch): try update(id, patch)
        case .increment(let id, let field, let by): try increment(id, field, by)
        case .insertSection(let section, let to): try insertSection(section, to)
        case .deleteSection(let id): try deleteSection(id)
        case .moveSection(let id, let to): try moveSection(id, to)
        case .updateSection(let id, let patch): try updateSection(id, patch)
        case .guarded(let inner, _): try apply(inner)
        }
    }

    func rejection(_ code: Rejection.Code, _ message: String) -> Rejection {
        Rejection(operation: operation, code: code, message: message)
    }

    // MARK: Seen

    /// Born at or before the base, or made by the author itself.
    func hasSeen(_ node: Node) -> Bool {
        node.born <= base || node.author == author && !mutates(.ownNodesNotSeen)
    }

    func hasSeen(life number: Int) -> Bool {
        let life = room.lives[number]
        return life.born <= base || life.author == author
    }

    func hasSeen(_ deletion: Life.Deletion) -> Bool {
        deletion.revision <= base || deletion.author == author && !mutates(.ownDeletionNotSeen)
    }

    /// The last made node of some lives that the author has seen, dead or alive.
    func lastSeenSpot(ofLives numbers: [Int]) -> TwinRoom.Spot? {
        room.spots(ofLives: numbers).filter { hasSeen($0.node) }
            .max { $0.node.serial < $1.node.serial }
    }

    /// The author's node of an id: the last made one it has seen, else the last made one.
    func authorsSpot(ofLives numbers: [Int]) -> TwinRoom.Spot? {
        let spots = room.spots(ofLives: numbers)
        let last = spots.max { $0.node.serial < $1.node.serial }
        if mutates(.anchorIsLastNode) { return last }
        if mutates(.anchorMustLive), last?.node.died == nil { return last }
        let seen = lastSeenSpot(ofLives: numbers)
        return mutates(.unseenAnchorIsUnknown) ? seen : seen ?? last
    }

    /// The latest incarnation is one the author has not seen, while a former one is remembered or
    /// the base is past the horizon.
    func knowsOnlyFormer(_ lives: [Int]) -> Bool {
        guard let latest = lives.last, !hasSeen(life: latest) else { return false }
        return lives.count > 1 || isPastHorizon
    }

    /// The same, but `false` for mutants that get this clause wrong.
    func knowsOnlyFormer(_ lives: [Int], unless clause: Mutation) -> Bool {
        knowsOnlyFormer(lives) && !mutates(clause)
    }

    // MARK: Nodes

    /// Makes a node of a life. Former nodes of its id are no longer counted (P3).
    mutating func addNode(life: Int, author: Int?, at place: Place) {
        let serial = room.add(
            life: life, author: author, origin: place.origin, born: revision, to: place.sequence,
            at: place.index)
        let id = room.lives[life].id
        if room.lives[life].kind == .item {
            itemsCountFrom[id] = serial
        } else {
            sectionsCountFrom[id] = serial
        }
    }

    /// Ends a life.
    mutating func delete(_ spot: TwinRoom.Spot, byDeleteSection: Bool) {
        room.end(spot, in: revision)
        room.lives[spot.node.life].deletion = Life.Deletion(
            revision: revision, author: author, byDeleteSection: byDeleteSection)
    }
}
