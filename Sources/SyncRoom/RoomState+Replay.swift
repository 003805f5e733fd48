import SyncBytes
import SyncEngine
package import SyncModel
import SyncWire

/// Applies a record of the log to a state, entry by entry.
///
/// Invariant: nothing in a record is trusted. A record that does not fit throws ``RoomError``; then
/// the state is of no more use.
package struct RecordReplay {
    private let record: LogRecord
    private let state: RoomState
    /// Where the unread entries begin.
    private var offset = 0
    /// Entries that were read, and for which the engine reads ahead.
    private var pending: [PendingEntry] = []
    /// How many of these are applied.
    private var applied = 0

    private enum PendingEntry {
        case commit(LogEntry, PackedTransaction)
        case horizon(Revision)
        case eviction(slot: UInt32)
    }

    /// Begins to replay the record that follows the state.
    package init(_ record: LogRecord, into state: RoomState) throws(RoomError) {
        guard record.sequence == state.sequence + 1 else {
            throw .misfit("record \(record.sequence) does not follow record \(state.sequence)")
        }
        guard record.firstRevision == state.engine.revision + 1 else {
            throw .misfit(
                "record \(record.sequence) begins with revision \(record.firstRevision), but the room"
                    + " is at \(state.engine.revision)")
        }
        self.record = record
        self.state = state
        var reader = ByteReader(record.body.bytes)
        let format = (try? reader.readVarint()) ?? 0
        guard format == LogEntry.format else { throw .unknownFormat(format) }
        if let epoch = try EpochEntry.read(&reader) {
            try state.enter(epoch)
        } else if state.loggedIdentity == nil {
            throw .misfit("the first record of the log does not say the room's id")
        }
        offset = record.body.count - reader.count
    }

    /// Whether all entries are applied. Then the record is part of the state.
    package var isAtEnd: Bool { offset == record.body.count && applied == pending.count }

    /// About the most memory that the next entry's transaction may add.
    fileprivate mutating func nextGrowth() throws(RoomError) -> Int {
        if offset < record.body.count, applied == pending.count { try readAhead() }
        guard applied < pending.count, case .commit(_, let transaction) = pending[applied] else {
            return 0
        }
        return transaction.traits.operationCount * RecordReplay.bytesOfOperation
            + 2 * transaction.bytes.count
    }

    /// An insert adds some 150, beside the content.
    private static let bytesOfOperation = 256

    /// Applies the next entry. Returns the revision that it made, if any.
    package mutating func next() throws(RoomError) -> Revision? {
        precondition(!isAtEnd, "a record is replayed to its end")
        if offset < record.body.count, pending.count - applied <= Engine.readAheadCount {
            try readAhead()
        }
        let entry = pending[applied]
        applied += 1
        let revision = try apply(entry)
        if isAtEnd {
            state.engine.expectNothing()
            guard state.engine.revision == record.lastRevision else {
                throw .misfit(
                    "record \(record.sequence) ends at revision \(state.engine.revision), not at"
                        + " \(record.lastRevision)")
            }
            state.sequence = record.sequence
        }
        return revision
    }

    /// Reads more entries, and has the engine read ahead for them.
    private mutating func readAhead() throws(RoomError) {
        let rest = UnsafeRawBufferPointer(rebasing: record.body.bytes[offset...])
        var reader = ByteReader(rest)
        pending.removeFirst(applied)
        applied = 0
        while !reader.isAtEnd, pending.count < 2 * Engine.readAheadCount {
            switch try LogEntry.read(&reader) {
            case .horizon(let horizon): pending.append(.horizon(horizon))
            case .eviction(let slot): pending.append(.eviction(slot: slot))
            case .commit(let entry, let bytes):
                guard
                    var transaction = try? PackedTransaction(parsing: bytes, limits: .ofTheLog),
                    transaction.base == 0 || !entry.hasSeenNothing
                else {
                    throw .malformed("a transaction in the log can't be read")
                }
                if entry.hasSeenNothing { transaction.traits = transaction.traits.asSeenNothing }
                state.engine.expect(transaction)
                pending.append(.commit(entry, transaction))
            }
        }
        offset = record.body.count - reader.count
    }

    private func apply(_ entry: PendingEntry) throws(RoomError) -> Revision? {
        switch entry {
        case .horizon(let horizon):
            state.engine.advanceHorizon(to: horizon)
            return nil
        case .eviction(let slot):
            state.evict(try author(in: slot))
            return nil
        case .commit(let entry, let transaction):
            let author = try author(of: entry)
            guard state.authors.find(entry.counter, of: author) == .unknown else {
                throw .misfit("counter \(entry.counter) of an author is in the log twice")
            }
            do throws(Rejection) {
                // Without limits: the limits of its day have accepted it.
                let commit = try transaction.withView { (view) throws(Rejection) in
                    try state.engine.submit(view, by: author)
                }
                state.authors.record(
                    Authors.Result(counter: entry.counter, .committed(commit)), of: author)
                if let user = entry.user { state.authors.set(user: user, of: author) }
                return commit.revision
            } catch {
                throw .misfit(
                    "a transaction that made revision \(state.engine.revision + 1) is refused now")
            }
        }
    }

    private func author(of entry: LogEntry) throws(RoomError) -> Authors.Author {
        guard let introduction = entry.introduction else { return try author(in: entry.slot) }
        let client = introduction.client
        guard state.author(client) == nil else {
            throw .misfit("the author '\(client)' is introduced twice")
        }
        guard state.engine.canAddAuthor, entry.counter > introduction.forgottenThrough else {
            throw .misfit("the author '\(client)' can't be introduced")
        }
        let author = state.enter(introduction)
        guard author.slot == entry.slot else {
            throw .misfit("the author '\(client)' is introduced in another's slot")
        }
        return author
    }

    private func author(in slot: UInt32) throws(RoomError) -> Authors.Author {
        guard let author = state.authors.author(in: slot) else {
            throw .malformed("an entry of the log has no author")
        }
        return author
    }
}

extension RoomState {
    /// How many entries of a record are applied between two counts of the memory.
    private static let checkedEntries = 256
    /// The memory is also counted before each transaction that may add so much.
    private static let largeGrowth = 1 << 20

    /// Applies the record that follows the state.
    ///
    /// - Parameter mayTake: whether the state may take so many bytes of memory. It is asked at the
    ///   end of the record, every ``checkedEntries`` entries, and before large transactions.
    package func apply(
        _ record: LogRecord, within mayTake: (Int) -> Bool = { _ in true }
    ) throws(RoomError) {
        var replay = try RecordReplay(record, into: self)
        var entries = 0
        while !replay.isAtEnd {
            let growth = try replay.nextGrowth()
            if growth >= RoomState.largeGrowth {
                guard mayTake(byteCount + growth) else { throw .tooLarge }
            }
            _ = try replay.next()
            entries += 1
            guard replay.isAtEnd || entries % RoomState.checkedEntries == 0 else { continue }
            guard mayTake(byteCount) else { throw .tooLarge }
        }
        guard sequence == record.sequence else { throw .malformed("a record of the log is empty") }
    }
}

extension WireLimits {
    /// No limits: transactions in the log were within the limits of their day.
    fileprivate static var ofTheLog: WireLimits {
        var limits = WireLimits()
        limits.transactionBytes = .max
        limits.transactionOperations = .max
        limits.contentBytes = .max
        limits.contentFields = .max
        return limits
    }
}
