package import SyncModel

/// Puts the pieces of a batch together, as they come on one channel.
package struct BatchAssembler: Sendable {
    private var batch: Batch?

    package init() {}

    /// Whether no batch is incomplete.
    package var isIdle: Bool { batch == nil }

    /// Adds a message.
    ///
    /// - Returns: the batch, after its last piece.
    /// - Throws: ``WireError/broken(_:_:)`` if the piece does not follow the one before.
    package mutating func add(_ message: BatchMessage) throws(WireError) -> Batch? {
        guard var batch else {
            if message.isContinued { throw .misplacedPart }
            if message.hasMore { self.batch = message.batch }
            return message.hasMore ? nil : message.batch
        }
        self.batch = nil
        var stages = message.batch.stages[...]
        guard batch.from == message.batch.from, batch.to == message.batch.to,
            !message.isContinued || !(stages.isEmpty || batch.stages.isEmpty)
        else { throw .misplacedPart }
        if message.isContinued, let rest = stages.popFirst() {
            batch.stages[batch.stages.count - 1].append(rest)
        }
        batch.stages += stages
        batch.counts += message.batch.counts
        if message.hasMore { self.batch = batch }
        return message.hasMore ? nil : batch
    }
}

extension Stage {
    fileprivate mutating func append(_ rest: Stage) {
        reloads += rest.reloads
        changedSections += rest.changedSections
        insertSections += rest.insertSections
        moveSections += rest.moveSections
        deletes += rest.deletes
        inserts += rest.inserts
        moves += rest.moves
        deleteSections += rest.deleteSections
    }
}
