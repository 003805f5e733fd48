import SyncBytes
package import SyncEngine
package import SyncModel
import SyncWire

/// What a room's log determines: its order of things, and who made which revision. What was refused
/// has changed nothing and is not in the log.
///
/// It is the engine with the ``Authors``. A room that is live and one that is replayed from the log
/// go through the same moves of the horizon and the same transactions, in the same order, and so
/// come to the same state. (When what is forgotten is swept makes no difference.)
///
/// Invariants:
/// 1. The engine knows just the same authors, in the same slots.
/// 2. ``sequence`` is the last record that is in the state as a whole.
/// 3. The log has the room's id and all epochs but the one that ``begin(_:)`` has begun; the next
///    record takes that to the log.
package final class RoomState {
    package let engine: Engine
    @exclusivity(unchecked) package internal(set) var authors: Authors
    /// The last record of the log that is part of the state.
    @exclusivity(unchecked) package var sequence: UInt64
    /// The room's id and epochs, as far as records say them; `nil` before the first record.
    package internal(set) var loggedIdentity: RoomIdentity?
    /// The same with the epoch that no record says yet, if there is one.
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

    // MARK: Identity

    /// The room's id and epochs, the newest perhaps not in the log yet; `nil` if nobody has opened
    /// the room and it has no record.
    package var identity: RoomIdentity? { openedIdentity ?? loggedIdentity }

    /// Begins an epoch at the revision that the state has. It becomes durable with the next record.
    package func begin(_ opening: RoomOpening) {
        let epoch = Epoch(opening.epoch, first: engine.revision)
        var identity = loggedIdentity ?? RoomIdentity(opening.room, epoch)
        if loggedIdentity != nil { identity.begin(epoch) }
        openedIdentity = identity
    }

    /// What the next record has to say of the room's identity, if anything.
    var epochEntry: EpochEntry? {
        guard let opened = openedIdentity, let epoch = opened.epochs.last else { return nil }
        return EpochEntry(room: loggedIdentity == nil ? opened.id : nil, epoch: epoch.id)
    }

    /// A record says the ``epochEntry``.
    func didEnterEpoch() {
        guard let opened = openedIdentity else { return }
        loggedIdentity = opened
        openedIdentity = nil
    }

    /// Takes in what a record of the log says of the room's identity.
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

    /// Who has written under a client id, if it was not evicted.
    package func author(_ client: Identifier) -> Authors.Author? {
        engine.knownAuthor(client)
    }

    /// Enters an author that is not there, of which the log has nothing until its first commit.
    func enter(_ introduction: LogEntry.Introduction) -> Authors.Author {
        let author = engine.author(introduction.client)
        authors.enter(
            Authors.Record(
                author, secret: introduction.secret,
                forgottenThrough: introduction.forgottenThrough))
        return author
    }

    /// Forgets an author that was just entered, and whose transaction was not applied.
    func withdraw(_ author: Authors.Author) {
        authors.remove(author)
        engine.forget(author)
    }

    /// Forgets an author, but not how far it has written.
    func evict(_ author: Authors.Author) {
        authors.evict(author)
        engine.evict(author)
    }

    // MARK: Transactions

    /// Applies a transaction of which nothing is known within a live server's limits, and enters
    /// it if it is accepted.
    ///
    /// - Returns: `nil` if it takes more than `stepLimit` steps; then nothing has changed, as with
    ///   one that is refused.
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

/// What became of a transaction.
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
    /// The store reads it. Nobody was in the room yet.
    case opening
    /// With the room, which does what it is asked for.
    case here(RoomState)
    /// With a worker, by a loan. Transactions and tasks wait.
    case away(Loan, then: Return)
    /// Of no use, as the log has failed: the store is to read it anew. Transactions are refused,
    /// tasks wait.
    case reopening(RoomState)
    /// The store deletes it, and members leave. A worker may still have the state, which nobody
    /// asks for.
    case deleting
    /// Nobody needs the room any more, and its state is let go.
    case gone

    /// What comes when a worker has done with the state.
    package enum Return: Equatable, Sendable {
        case goOn
        /// The log has failed meanwhile.
        case reopen
    }

    /// Whether the room takes transactions.
    @inline(__always)
    package var goesOn: Bool {
        switch self {
        case .here, .away(_, .goOn): true
        case .opening, .away(_, .reopen), .reopening, .deleting, .gone: false
        }
    }

    /// Whether the room goes on with this state.
    func goesOn(with state: RoomState) -> Bool {
        switch self {
        case .here(let own): own === state
        case .away(let loan, .goOn): loan.state === state
        case .opening, .away(_, .reopen), .reopening, .deleting, .gone: false
        }
    }

    /// The state, where the room has it.
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
    package var isDeleting: Bool { if case .deleting = self { true } else { false } }
    package var isGone: Bool { if case .gone = self { true } else { false } }
}

/// The random numbers that the host draws for each opening of a room.
///
/// An opening, and not a process, gets an epoch of its own: while a room is closed, its store may
/// be put back to a copy under a running process.
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

/// Why a room can't be made of what is stored.
package enum RoomError: Error, Equatable, Sendable, CustomStringConvertible {
    /// Another version of collsync wrote it.
    case unknownFormat(UInt64)
    /// The bytes are not what a room writes.
    case malformed(String)
    /// A record does not follow from what came before.
    case misfit(String)

    package var description: String {
        switch self {
        case .unknownFormat(let format):
            "it has format \(format), which this program does not know; use the collsync that"
                + " wrote it"
        case .malformed(let what): what
        case .misfit(let what): what
        }
    }
}
