import SyncBytes
package import SyncModel
import SyncTree

/// Why an operation ends early: it is lost, or its whole transaction is refused.
enum Stop: Error {
    case lost(Superseded.Reason)
    /// What its guard covers has changed.
    case changed(GuardedChanges)
    case refused(Rejection.Code, String)
}

extension Engine {
    /// Applies a transaction.
    ///
    /// - Parameters:
    ///   - transaction: what its author made, at the base it names.
    ///   - author: the client id.
    /// - Returns: the revision it made and which of its operations were lost.
    /// - Throws: ``Rejection``; then nothing has changed.
    package func submit(
        _ transaction: ListTransaction, by author: Identifier
    ) throws(Rejection) -> Commit {
        try submit(try PackedTransaction(transaction), by: self.author(author))
    }

    /// Applies a transaction by an author that was looked up before.
    package func submit(
        _ transaction: ListTransaction, by author: Author
    ) throws(Rejection) -> Commit {
        try submit(try PackedTransaction(transaction), by: author)
    }

    /// Applies a packed transaction by an author that was looked up before.
    package func submit(
        _ transaction: PackedTransaction, by author: Author
    ) throws(Rejection) -> Commit {
        try transaction.withView { (view) throws(Rejection) in try submit(view, by: author) }
    }

    /// Applies a transaction that is lent, by an author that was looked up before.
    package func submit(
        _ transaction: TransactionView, by author: Author
    ) throws(Rejection) -> Commit {
        do throws(SubmitStop) {
            return try submit(transaction, by: author, stepLimit: .max, within: SubmitLimits())
        } catch {
            throw Engine.rejection(error)
        }
    }

    @inline(never)
    private static func rejection(_ stop: SubmitStop) -> Rejection {
        switch stop {
        case .rejected(let rejection): rejection
        case .overSteps:
            Rejection(code: .limitExceeded, message: "the transaction takes too long")
        }
    }

    /// Applies a transaction that is lent, within the steps that the caller can spend and the
    /// limits of a live server.
    ///
    /// - Parameters:
    ///   - stepLimit: the most steps to take. A transaction that needs more is rolled back, which
    ///     costs no more than what was done. It may be submitted again.
    ///   - limits: a transaction beyond these is refused for good.
    package func submit(
        _ transaction: TransactionView, by author: Author, stepLimit: Int,
        within limits: SubmitLimits
    ) throws(SubmitStop) -> Commit {
        let base = transaction.base
        guard base <= revision, base >= authors[lastBase: author.slot] else {
            throw badBase(base, of: author)
        }
        begin(transaction, author, limits)
        draft.beginSteps(atMost: stepLimit, limits)
        let journalMark = journal.mark
        var reader = ByteReader(transaction.bytes)
        while let message = reader.take(PackedTransaction.Number.operations),
            let operation = OperationView(message)
        {
            spend(1)
            do throws(Stop) {
                try apply(operation, of: message)
                if draft.hasCounts { try checkCounts(limits) }
            } catch {
                try note(error, journalMark)
            }
            if isOverSteps { throw takeBackOverSteps(to: journalMark) }
            draft.operation &+= 1
        }
        if draft.operation != transaction.traits.operationCount {
            throw takeBackUnread(to: journalMark)
        }
        return commit()
    }

    // Rare cases have functions of their own, so that the usual path stays short.

    @inline(never)
    private func beginCounts(_ limits: SubmitLimits) {
        draft.beginCounts(limits, items: itemCount, sections: sectionCount)
    }

    @inline(never)
    private func checkCounts(_ limits: SubmitLimits) throws(Stop) {
        if itemCount > draft.most.items {
            draft.reachedLimit = .items
            throw .refused(.limitExceeded, "a room holds at most \(limits.items) items")
        }
        if sectionCount > draft.most.sections {
            draft.reachedLimit = .sections
            throw .refused(.limitExceeded, "a room holds at most \(limits.sections) sections")
        }
    }

    /// Of what there would have been too many, if that is why the last transaction was refused.
    package var reachedLimit: CountLimit? { draft.hasCounts ? draft.reachedLimit : nil }

    /// Notes that an operation is lost, or rolls the transaction back.
    @inline(never)
    private func note(_ stop: Stop, _ journalMark: Int) throws(SubmitStop) {
        // Once the steps have run out, the operation's result means nothing.
        if isOverSteps { return }
        switch stop {
        case .lost(let reason):
            draft.superseded.append(Superseded(operation: draft.operation, reason: reason))
        case .changed(let changed):
            guard draft.traits.isAllOrNothing else {
                draft.superseded.append(
                    Superseded(operation: draft.operation, reason: .changed, changed: changed))
                return
            }
            throw refuse(.conflict, changed.explanation, journalMark)
        case .refused(let code, let message): throw refuse(code, message, journalMark)
        }
    }

    private func refuse(
        _ code: Rejection.Code, _ message: String, _ journalMark: Int
    ) -> SubmitStop {
        rollBack(to: journalMark)
        return .rejected(Rejection(operation: draft.operation, code: code, message: message))
    }

    @inline(never)
    private func takeBackOverSteps(to journalMark: Int) -> SubmitStop {
        let stop = stopOverSteps
        rollBack(to: journalMark)
        return stop
    }

    @inline(never)
    private func takeBackUnread(to journalMark: Int) -> SubmitStop {
        rollBack(to: journalMark)
        return .rejected(
            Rejection(
                operation: draft.operation, code: .malformed, message: "an operation can't be read")
        )
    }

    /// Why a transaction can't have a base (B1).
    @inline(never)
    private func badBase(_ base: Revision, of author: Author) -> SubmitStop {
        let message =
            base > revision
            ? "base \(base) is above the room's revision \(revision)"
            : "base \(base) is below \(authors[lastBase: author.slot]), an earlier base of this client"
        return .rejected(Rejection(code: .badBase, message: message))
    }

    /// Begins a transaction. It is a call, so that the loop over the operations stays short enough
    /// for what it does to each to be inlined.
    @inline(never)
    private func begin(
        _ transaction: TransactionView, _ author: Author, _ limits: SubmitLimits
    ) {
        // Only a transaction at an older base fills these lists.
        if !draft.isCurrent { draft.forgetTakenOut() }
        if !draft.superseded.isEmpty { draft.superseded = [] }
        let base = transaction.base
        draft.base = base
        draft.revision = revision &+ 1
        draft.author = author.number
        draft.authorSlot = author.slot
        draft.isCurrent = base == revision
        draft.traits = transaction.traits
        draft.isPastHorizon = base < horizon || transaction.traits.hasSeenNothing
        draft.contentBytes = limits.contentBytes
        draft.hasReplacedContents = false
        draft.retainedBytes = retainedBytes
        draft.number &+= 1
        draft.operation = 0
        if draft.hasCounts || limits.items & limits.sections != .max { beginCounts(limits) }
    }

    @inline(__always)
    private func commit() -> Commit {
        rollback.clear()
        authors[lastBase: draft.authorSlot] = draft.base
        journal.endRevision()
        stepCount &+= draft.steps
        revision = draft.revision
        // A literal empty array need not be retained.
        return Commit(
            revision: revision, superseded: draft.superseded.isEmpty ? [] : draft.superseded)
    }

    @inline(__always)
    private func apply(
        _ operation: OperationView, of message: UnsafeRawBufferPointer
    ) throws(Stop) {
        let id = operation.id
        let content = operation.content
        if fill.isFull, operation.kind != .delete, operation.kind != .deleteSection {
            throw .refused(.limitExceeded, "the room takes too much memory")
        }
        if operation.isGuarded { try judge(operation, of: message) }
        switch operation.kind {
        case .insert: try insert(id, content, to: PlacementView(operation.placement))
        case .delete: try delete(id)
        case .move: try move(id, to: PlacementView(operation.placement))
        case .update: try update(id, content)
        case .increment: try increment(id, IncrementView(content))
        case .insertSection: try insertSection(id, content, PlacementView(operation.placement))
        case .deleteSection: try deleteSection(id)
        case .moveSection: try moveSection(id, to: PlacementView(operation.placement))
        case .updateSection: try updateSection(id, SectionPatchView(content))
        }
    }

    private func rollBack(to journalMark: Int) {
        stepCount &+= draft.steps &+ rollback.entries.count
        while let entry = rollback.popLast() {
            switch entry {
            case .thingMade(let thing):
                if things[thing].isSection { tree.removeSequence(things[thing].sequence) }
                removeThing(thing)
            case .thing(let thing, var record):
                record.body = things[thing].body
                record.version = things[thing].version
                things[thing] = record
            case .content(let thing, let body, let version):
                blobs.remove(things[thing].body)
                things[thing].body = body
                things[thing].version = version
            case .nodeMade(let node, let sequence):
                tree.remove(node, from: sequence)
                removeNodeRecord(node)
            case .node(let node, let record):
                if record.died == NodeRecord.alive, nodes[node].died != NodeRecord.alive {
                    deadNodeCount -= 1
                    tree.setLive(node, true)
                }
                nodes[node] = record
            case .versionMade(let version): versions.remove(version, leaving: .none)
            case .sequenceMade(let sequence): tree.removeSequence(sequence)
            }
        }
        rollback.clear()
        journal.truncate(to: journalMark)
        retainedBytes = draft.retainedBytes
        forgetWalks()
    }

    // MARK: Parts of all operations

    /// Makes a node for a thing at a place.
    func makeNode(
        of thing: ThingID, at place: Place, author: AuthorID
    ) {
        spend(1)
        let record = things[thing]
        let isSection = record.isSection
        if expected.newNodeCount > 0 { expected.newNodeCount -= 1 }
        let node = nodes.make(
            NodeRecord(
                born: draft.revision, thing: thing,
                sequence: isSection ? record.sequence : place.sequence, origin: place.origin,
                previous: record.node, author: author, incarnation: record.incarnation))
        tree.insert(node, after: place.left, foundAt: place.found, in: place.sequence)
        rollback.append(.nodeMade(node, in: place.sequence))
        if isSection { sectionNodeCounts[Int(record.sequence)] += 1 }
        rollback.append(.thing(thing, record))
        if !record.isAlive { retainedBytes -= blobs.size(record.body) + RetainedBytes.thing }
        things[thing].node = node
        things[thing].deletion = 0
        journal.append(.birth(node))
        takeOut(thing)
    }

    /// Ends the live node of a thing.
    func endNode(of thing: ThingID) {
        spend(1)
        let node = things[thing].node
        rollback.append(.node(node, nodes[node]))
        nodes[node].died = draft.revision
        deadNodeCount += 1
        retainedBytes += RetainedBytes.node
        tree.setLive(node, false)
        journal.append(.death(node))
        takeOut(thing)
    }

    /// Deletes a thing: ends its node, and notes the author of the deletion.
    func end(_ thing: ThingID, withSection: Bool) {
        endNode(of: thing)
        rollback.append(.thing(thing, things[thing]))
        retainedBytes += blobs.size(things[thing].body) + RetainedBytes.thing
        things[thing].deletion =
            draft.author | (withSection ? ThingRecord.sectionDeletion : 0)
    }

    /// Gives a thing new content, and retains the old one for earlier revisions.
    func setContent(of thing: ThingID, _ content: UnsafeRawBufferPointer, disabled: UInt8) {
        spend(Engine.steps(forBytes: content.count))
        let record = things[thing]
        let body = blobs.makeBody(idOf: record.body, content: content, tag: disabled)
        things[thing].body = body
        if !record.isAlive { retainedBytes += blobs.size(body) - blobs.size(record.body) }
        if draft.hasReplacedContents, isChanged(thing, by: draft.revision) {
            blobs.remove(record.body)
            return
        }
        draft.hasReplacedContents = true
        rollback.append(.content(thing, record.body, record.version))
        retainedBytes += blobs.size(record.body) + RetainedBytes.version
        let version = versions.make(
            VersionRecord(
                revision: draft.revision, thing: thing, body: record.body,
                previous: record.version))
        rollback.append(.versionMade(version))
        things[thing].version = version
        journal.append(.content(version))
    }

    /// Whether a thing's content was last replaced in this revision.
    private func isChanged(_ thing: ThingID, by revision: Revision) -> Bool {
        let latest = versions[things[thing].version]
        return latest.thing == thing && latest.revision == revision
    }

    /// Begins another incarnation of an id that had one.
    func beginIncarnation(of thing: ThingID) {
        rollback.append(.thing(thing, things[thing]))
        things[thing].beginIncarnation(in: draft.revision, by: draft.author)
        if things[thing].isSection, things[thing].node != 0 {
            let sequence = makeItemSequence()
            rollback.append(.sequenceMade(sequence))
            sectionOfSequence[Int(sequence)] = thing
            things[thing].sequence = sequence
        }
    }

    // MARK: What the author has seen

    /// The node that was made before this one for the same thing; 0 if there is none, or it is
    /// forgotten.
    @inline(__always)
    func previous(of node: NodeID) -> NodeID {
        let record = nodes[node]
        let previous = record.previous
        // If the number was used again, the node there is another thing's or younger.
        guard previous != 0, nodes[previous].thing == record.thing,
            nodes[previous].born <= record.born, !isForgotten(previous)
        else { return 0 }
        return previous
    }

    @inline(__always)
    func hasSeen(_ node: NodeID) -> Bool {
        draft.hasSeen(nodes[node].born, by: nodes[node].author)
    }

    /// Whether the author has seen that a thing was deleted.
    func hasSeenDeletion(of thing: ThingID) -> Bool {
        draft.hasSeen(nodes[things[thing].node].died, by: things[thing].deletionAuthor)
    }
}
