import SyncBytes
package import SyncEngine
package import SyncWire

/// What a room's log determines: its order of things, and who made which revision. What was refused has
/// changed nothing and is not in the log.
///
/// It is the engine with the ``Ledger``. A room that is live and one that is replayed from the log go
/// through the same moves of the horizon and the same transactions, in the same order, and so come to the
/// same state. (When what is forgotten is swept makes no difference.)
///
/// Invariants:
/// 1. The engine knows just the authors of the ledger, in the same slots.
/// 2. ``sequence`` is the last record that is in the state as a whole.
/// 3. The log has the room's id and all epochs but the one that ``begin(_:)`` has begun; the next record
///    takes that to the log.
package final class RoomState {
    package let engine: Engine
    @exclusivity(unchecked) package private(set) var ledger: Ledger
    /// The last record of the log that is part of the state.
    @exclusivity(unchecked) package var sequence: UInt64
    /// The room's id and epochs, as far as records say them; `nil` before the first record.
    package internal(set) var loggedIdentity: RoomIdentity?
    /// The same with the epoch that no record says yet, if there is one.
    private var openedIdentity: RoomIdentity?

    /// Makes a new room: before record 1.
    ///
    /// - Parameter departedLimit: of how many evicted authors something is kept, the same in all of the
    ///   room's life.
    package init(departedLimit: Int = DepartedAuthors.maximumCount) {
        engine = Engine()
        ledger = Ledger(departed: DepartedAuthors(limit: departedLimit))
        sequence = 0
    }

    init(engine: Engine, ledger: Ledger, sequence: UInt64, identity: RoomIdentity?) {
        self.engine = engine
        self.ledger = ledger
        self.sequence = sequence
        loggedIdentity = identity
    }

    // MARK: Identity

    /// The room's id and epochs, the newest perhaps not in the log yet; `nil` if nobody has opened the
    /// room and it has no record.
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
    package func author(_ client: Identifier) -> Ledger.Author? {
        engine.knownAuthor(client)
    }

    /// Enters an author that is not there, of which the log has nothing until its first commit.
    ///
    /// - Parameter forgottenThrough: up to which counter it may have commits that are not known any more.
    func enter(
        _ client: Identifier, secret: SecretHash, forgottenThrough: UInt64
    ) -> Ledger.Author {
        let author = engine.author(client)
        ledger.enter(author, secret: secret, forgottenThrough: forgottenThrough)
        return author
    }

    /// Forgets an author that was just entered, and whose transaction was not applied.
    func withdraw(_ author: Ledger.Author) {
        ledger.remove(author)
        engine.forget(author)
    }

    /// The first commit of an author is applied: nothing else is needed of it as it was before it was evicted.
    func didIntroduce(_ client: Identifier) {
        guard ledger.departed.count > 0, let room = identity?.id else { return }
        ledger.didReturn(ClientHash(of: client, in: room))
    }

    /// Forgets an author, but for what keeps its transactions from being applied again.
    func evict(_ author: Ledger.Author) {
        guard let client = engine.id(of: author), let room = identity?.id else { return }
        ledger.evict(author, as: ClientHash(of: client, in: room))
        engine.evict(author)
    }

    /// What is known of a client that is no author now.
    enum Absence: Equatable {
        /// It has committed nothing.
        case new
        /// It may have, up to a counter.
        case forgotten(through: UInt64)
        /// It belongs to somebody with another secret.
        case other
    }

    /// What is known of a client that is no author now.
    ///
    /// - Parameter claimed: the greatest counter that it says to have used.
    func absence(
        of client: Identifier, secret: SecretHash, claimed: UInt64
    ) -> Absence {
        let departed = ledger.departed
        if departed.count > 0, let room = identity?.id,
            let entry = departed[ClientHash(of: client, in: room)]
        {
            // What differs is told by no time: it is one number.
            guard entry.secret ^ secret.part == 0 else { return .other }
            return .forgotten(through: entry.lastCounter)
        }
        return departed.hasDropped && claimed > 0 ? .forgotten(through: claimed) : .new
    }

    // MARK: Transactions

    func advanceHorizon(to target: Revision) {
        engine.advanceHorizon(to: target)
    }

    /// Applies a transaction that the ledger does not know, and enters it.
    ///
    /// A replay has no limits: the log says what was accepted.
    ///
    /// - Returns: the revision it makes.
    func replay(
        _ transaction: TransactionView, counter: UInt64, author: Ledger.Author
    ) throws(Rejection) -> Revision {
        let commit = try engine.submit(transaction, by: author)
        ledger.record(Ledger.Result(counter: counter, .committed(commit)), of: author)
        return commit.revision
    }

    /// Applies a transaction that the ledger does not know within a live server's limits, and enters
    /// it if it is accepted.
    ///
    /// - Returns: `nil` if it takes more than `stepLimit` steps; then nothing has changed, as with one that
    ///   is refused.
    func perform(
        _ transaction: TransactionView, counter: UInt64, author: Ledger.Author,
        stepLimit: Int = .max, within limits: SubmitLimits
    ) -> Ledger.Result? {
        let result: Ledger.Result
        do throws(SubmitStop) {
            let commit = try engine.submit(
                transaction, by: author, stepLimit: stepLimit, within: limits)
            result = Ledger.Result(counter: counter, .committed(commit))
        } catch {
            guard case .rejected(let rejection) = error else { return nil }
            return Ledger.Result(counter: counter, .rejected(rejection))
        }
        ledger.record(result, of: author)
        return result
    }
}

/// What became of a transaction.
package enum Outcome: Sendable, Equatable {
    case committed(Commit)
    case rejected(Rejection)
}
