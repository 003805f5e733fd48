import SyncBytes
package import SyncEngine
package import SyncModel
import SyncWire

/// The state that a room's log determines: sections and items in their order, and the authors of
/// revisions. Refused transactions have changed nothing and are not in the log.
///
/// It is the engine with the ``Authors``. A live room and a replay of its log apply the same
/// transactions and move the horizon alike, in the same order. So they reach the same state. (The
/// time of sweeping makes no difference.)
///
/// Invariants:
/// 1. The engine and ``Authors`` know the same authors, in the same slots.
/// 2. ``sequence`` is the last record that is in the state as a whole.
/// 3. The log has the room's id and all epochs but the one that ``begin(_:)`` has begun. The next
///    record writes that one.
package final class RoomState {
    package let engine: Engine
    @exclusivity(unchecked) package internal(set) var authors: Authors
    /// The last record of the log that is part of the state.
    @exclusivity(unchecked) package var sequence: UInt64
    /// The room's id and epochs that are in records; `nil` before the first record.
    package internal(set) var loggedIdentity: RoomIdentity?
    /// The same with the epoch that is in no record yet, if there is one.
    private var openedIdentity: RoomIdentity?

    /// Makes a new room: before record 1.
    package init() {
        engine = Engine()
        authors = Authors()
        sequence = 0
    }

    init(engine: Engine, authors: Authors, sequence: UInt64, identity: RoomIdentity?) {
        self.engine = engine
        self.authors = authors
        self.sequence = sequence
        loggedIdentity = identity
    }

    /// The memory that it takes. O(1).
    package var byteCount: Int { engine.byteCount + authors.byteCount }

    // MARK: Identity

    /// The room's id and epochs. The newest epoch may not be in the log yet. `nil` if the room was
    /// never opened.
    package var identity: RoomIdentity? { openedIdentity ?? loggedIdentity }

    /// Begins an epoch at the present revision. It becomes durable with the next record.
    package func begin(_ opening: RoomOpening) {
        let epoch = Epoch(opening.epoch, first: engine.revision)
        var identity = loggedIdentity ?? RoomIdentity(opening.room, epoch)
        if loggedIdentity != nil { identity.begin(epoch) }
        openedIdentity = identity
    }

    /// The epoch that the next record begins, if any.
    var epochEntry: EpochEntry? {
        guard let opened = openedIdentity, let epoch = opened.epochs.last else { return nil }
        return EpochEntry(room: loggedIdentity == nil ? opened.id : nil, epoch: epoch.id)
    }

    /// The ``epochEntry`` is in a record now.
    func didEnterEpoch() {
        guard let opened = openedIdentity else { return }
        loggedIdentity = opened
        openedIdentity = nil
    }

    /// Applies the epoch that a record of the log begins.
    func enter(_ entry: EpochEntry) throws(RoomError) {
        let epoch = Epoch(entry.epoch, first: engine.revision)
        switch (loggedIdentity, entry.room) {
        case (nil, let room?): loggedIdentity = RoomIdentity(room, epoch)
        case (let identity?, nil):
            guard !identity.epochs.contains(where: { $0.id == epoch.id }) else {
                throw .misfit("an epoch begins twice in the log")
            }
            loggedIdentity?.begin(epoch)
        case (nil, nil): throw .misfit("the first record of the log does not say the room's id")
        case (_?, _?): throw .misfit("a later record of the log says the room's id again")
        }
    }

    // MARK: Authors

    /// The author with a client id, if there is one.
    package func author(_ client: Identifier) -> Authors.Author? {
        engine.knownAuthor(client)
    }

    /// Enters a new author. It is not in the log until its first commit.
    func enter(_ introduction: LogEntry.Introduction) -> Authors.Author {
        let author = engine.author(introduction.client)
        authors.enter(
            Authors.Record(
                author, secret: introduction.secret,
                forgottenThrough: introduction.forgottenThrough))
        return author
    }

    /// Removes an author that was just entered, as its transaction was not applied.
    func withdraw(_ author: Authors.Author) {
        authors.remove(author)
        engine.forget(author)
    }

    /// Evicts an author, see ``Authors/evict(_:)``.
    func evict(_ author: Authors.Author) {
        authors.evict(author)
        engine.evict(author)
    }

    // MARK: Transactions

    /// Applies a new transaction within a live server's limits, and records it if it is accepted.
    ///
    /// - Returns: `nil` if it takes more than `stepLimit` steps. Then nothing has changed, as after
    ///   a rejection.
    func perform(
        _ transaction: TransactionView, counter: UInt64, author: Authors.Author,
        stepLimit: Int = .max, within limits: SubmitLimits
    ) -> Authors.Result? {
        let result: Authors.Result
        do throws(SubmitStop) {
            let commit = try engine.submit(
                transaction, by: author, stepLimit: stepLimit, within: limits)
            result = Authors.Result(counter: counter, .committed(commit))
        } catch {
            guard case .rejected(let rejection) = error else { return nil }
            return Authors.Result(counter: counter, .rejected(rejection))
        }
        authors.record(result, of: author)
        return result
    }
}

/// The outcome of a transaction.
package enum Outcome: Sendable, Equatable {
    case committed(Commit)
    case rejected(Rejection)
}

/// Where a room's state is.
///
///     opening ──► here ◄──► away        from each of them: ──► deleting ──► gone
///                  ▲ │        │
///                  │ ▼        ▼
///                reopening ◄──┘
package enum RoomPlace {
    /// The store reads it. The room has no members yet.
    case opening
    /// With the room, which serves its members.
    case here(RoomState)
    /// With a worker, in a loan. Transactions and tasks wait.
    case away(Loan, then: Return)
    /// Outdated, as the log has failed. The store reads it again. Transactions are refused, tasks
    /// wait.
    case reopening(RoomState)
    /// The store deletes it, and members leave. A worker may still have the state; it is dropped
    /// when that returns.
    case deleting
    /// The room is closed and has no state.
    case gone

    /// What the room does when the worker returns the state.
    package enum Return: Equatable, Sendable {
        case goOn
        /// The log has failed meanwhile, so the store reads the state again.
        case reopen
    }

    /// Whether the room accepts transactions.
    @inline(__always)
    package var acceptsTransactions: Bool {
        switch self {
        case .here, .away(_, .goOn): true
        case .opening, .away(_, .reopen), .reopening, .deleting, .gone: false
        }
    }

    /// Whether this state is the room's, and it accepts transactions.
    func isServing(_ state: RoomState) -> Bool {
        switch self {
        case .here(let own): own === state
        case .away(let loan, .goOn): loan.state === state
        case .opening, .away(_, .reopen), .reopening, .deleting, .gone: false
        }
    }

    /// The state, if the room has it.
    @inline(__always)
    var state: RoomState? {
        switch self {
        case .here(let state), .reopening(let state): state
        case .opening, .away, .deleting, .gone: nil
        }
    }

    @inline(__always)
    package var isHere: Bool { if case .here = self { true } else { false } }

    package var isOpening: Bool { if case .opening = self { true } else { false } }
    package var isReopening: Bool { if case .reopening = self { true } else { false } }
    /// Whether the log has failed, and the state is not read again yet.
    package var isSuspended: Bool {
        switch self {
        case .reopening, .away(_, .reopen): true
        case .opening, .here, .away(_, .goOn), .deleting, .gone: false
        }
    }
    package var isDeleting: Bool { if case .deleting = self { true } else { false } }
    package var isGone: Bool { if case .gone = self { true } else { false } }
}

/// The random numbers that the host draws for each opening of a room.
///
/// Each opening gets an epoch of its own, not only each process: while a room is closed, a running
/// process's store may be replaced by an older copy.
package struct RoomOpening: Sendable {
    /// The room's id, if the room is new.
    package var room: RoomID
    package var epoch: EpochID

    package init(room: RoomID, epoch: EpochID) {
        self.room = room
        self.epoch = epoch
    }

    /// Draws the numbers from a source of randomness.
    package init(random: () -> UInt64) {
        room = RoomID(high: random(), low: random())
        epoch = EpochID(value: random())
    }
}

/// Why a room can't be made from its stored bytes.
package enum RoomError: Error, Equatable, Sendable, CustomStringConvertible {
    /// Another version of collsync wrote it.
    case unknownFormat(UInt64)
    /// The bytes are not what a room writes.
    case malformed(String)
    /// A record does not follow from what came before.
    case misfit(String)
    /// It takes more memory than it may.
    case tooLarge

    package var description: String {
        switch self {
        case .unknownFormat(let format):
            "it has format \(format), which this program does not know; use the collsync that"
                + " wrote it"
        case .malformed(let what): what
        case .misfit(let what): what
        case .tooLarge: "it takes more memory than it may"
        }
    }
}
