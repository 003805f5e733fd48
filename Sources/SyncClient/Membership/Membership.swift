import SyncLayout
package import SyncModel
import SyncWire

/// A client's part in one room: what it holds of it, its views, its transactions on their way, and
/// who else is there.
///
/// It lasts over many connections: ``ClientSession`` tells it when one is there and when it is
/// lost.
///
/// Invariants:
/// 1. What the observer hears is in order: joined, a snapshot or batches each of which begins where
///    what is held ends; after a lost connection the same again, from where it was.
/// 2. A transaction's answer comes before the batch that contains it. After a lost connection, or
///    when the server's store has failed, the server can't see to that, so news wait until all
///    repeated transactions are answered.
/// 3. Every transaction is answered exactly once.
/// 4. A transaction that was made for one room, or for a past that the room has lost, is never sent
///    as one for another: it is rejected (`roomChanged`), unless the server knows what came of it.
package final class Membership {
    /// What the server says of the room and its member does not see yet.
    private enum News {
        case snapshot(Snapshot)
        case authors(BatchAuthors)
        case batch(Batch)
        case view(ViewUpdate)
    }

    package let room: RoomName
    package let options: Options
    private(set) weak var observer: (any MembershipObserver)?

    /// What is held, where items are.
    package internal(set) var replica: Replica
    /// The revision that is held, if any; of who has only views, the newest that one of them shows.
    package internal(set) var revision: Revision?

    /// The room's id and epochs, as the server told them last.
    private(set) var identity: RoomIdentity?
    /// Which room and epoch ``revision`` is of.
    package private(set) var origin: Origin?
    /// Whether the room is not the one that is held, and what stands in for it has not come yet.
    package private(set) var isOutdated = false

    /// The room's revision at the last join.
    private(set) var joinedRevision: Revision = 0

    /// The room's number on the connection that there is.
    private(set) var handle: RoomHandle?
    /// The join that is under way.
    private(set) var joinUnderWay: JoinUnderWay?
    private(set) var hasJoined = false
    private(set) var isEnded = false

    var ownPresence = OwnPresence()
    var otherMembers = OtherMembers()
    var views = ViewTable()
    var drags = OwnDrags()
    var submissions = SubmissionQueue()
    /// Who the client is in the room.
    var author: RoomAuthor
    private var snapshots = SnapshotAssembler()
    private var batches = BatchAssembler()
    private var heldBack: [News] = []
    /// Bytes of what has come and was not told yet.
    private var untoldBytes = 0
    let limits: ClientLimits

    init(
        room: RoomName, options: Options, author: RoomAuthor,
        limits: ClientLimits = ClientLimits(), observer: any MembershipObserver
    ) {
        self.room = room
        self.limits = limits
        replica = Replica(maximumBytes: limits.roomBytes)
        self.author = author
        self.author.didSend(options.sentCounter)
        self.observer = observer
        var options = options
        if options.isViewOnly {
            options.holdsItems = false
            options.from = nil
            options.everyRevision = false
        }
        self.options = options
        if !options.holdsItems { revision = options.from }
        origin = options.origin
    }

    // MARK: Connections

    /// The server took the client in.
    func didJoin(_ joined: Joined) throws(ClientError) {
        joinUnderWay = nil
        handle = joined.handle
        hasJoined = true
        author.numberOn(after: joined.counter)
        let former = origin
        identity = joined.identity
        if joined.changed {
            isOutdated = !options.isViewOnly || views.isAnyOpen
        } else {
            // What is held counts, perhaps again: a store may be put back to where it was.
            isOutdated = false
            origin = revision.map { joined.identity.origin(of: $0) } ?? origin
        }
        joinedRevision = joined.revision
        if options.isViewOnly, !isOutdated {
            take(
                joined.changed ? joined.revision : min(revision ?? joined.revision, joined.revision)
            )
        }
        observer?.membershipDidJoin(joined)
        if joined.changed { refuseForeign(from: former) }
        try takeEarlyAnswers(joined)
    }

    /// Rejects what was made for something else than the room that there is now. What was sent to
    /// this room goes to the server once more, which may know what came of it.
    private func refuseForeign(from former: Origin?) {
        let isOtherRoom = former?.room != identity?.id
        for submission in submissions.removeForeign(evenIfSent: isOtherRoom) {
            answer(submission, .rejected(.roomChanged))
        }
    }

    /// Goes on as another author: somebody else has the id, as the room has forgotten whose it was.
    /// So nobody knows what came of all that was sent.
    func takeIdentity(_ identity: ClientIdentity) {
        forgetJoin(cameThrough: joinUnderWay?.sentCounter ?? .max)
        author.takeIdentity(identity)
        for submission in submissions.removeRepeated() {
            answer(submission, .rejected(.forgotten))
        }
    }

    /// Holds another revision, of the room that the server told of last.
    func take(_ revision: Revision) {
        self.revision = revision
        origin = identity?.origin(of: revision)
        isOutdated = false
    }

    func didLoseConnection() {
        forgetJoin(cameThrough: .max)
    }

    /// Is in the room no more.
    ///
    /// - Parameter counter: what was sent above it has not come to the room.
    private func forgetJoin(cameThrough counter: UInt64) {
        joinUnderWay = nil
        handle = nil
        snapshots = SnapshotAssembler()
        batches = BatchAssembler()
        heldBack = []
        untoldBytes = 0
        views.didLoseConnection()
        drags.didLoseConnection()
        loseDrag(.hungUp)
        submissions.didLoseConnection(cameThrough: counter)
        ownPresence.repeatState()
        forgetOthers()
    }

    /// The session tries again; a room that was not joined yet does not.
    func wasInterrupted(_ error: ClientError, retryAfterMilliseconds delay: UInt64) {
        observer?.membershipWasInterrupted(error, retryAfterMilliseconds: delay)
    }

    func end(_ error: ClientError) {
        guard !isEnded else { return }
        isEnded = true
        otherMembers = OtherMembers()
        loseDrag(error)
        didLoseConnection()
        for submission in submissions.removeAll() { answer(submission, .unknown(error)) }
        for view in views.removeAll() { observer?.membershipDidEnd(view, error) }
        observer?.membershipDidEnd(error)
    }

    /// The message that asks to be let in, from now on under way.
    ///
    /// - Parameter presence: whether the server offers it.
    func beginJoin(_ request: RequestID, presence: Bool) -> Join {
        joinUnderWay = JoinUnderWay(request: request, sentCounter: author.sentCounter)
        return Join(
            request: request, room: room, client: author.identity.client,
            secret: author.identity.secret,
            from: options.holdsItems ? replica.revision : revision,
            everyRevision: options.everyRevision, viewOnly: options.isViewOnly,
            presence: options.presence && presence, origin: origin, counter: author.sentCounter,
            answeredThrough: answeredThrough, authors: options.authors)
    }

    /// By what the room is named on the connection; `nil` if it can't be.
    var name: RoomReference? {
        handle.map { RoomReference(handle: $0) }
            ?? joinUnderWay.map { RoomReference(join: $0.request) }
    }

    // MARK: News

    /// Counts what has come; what was told before counts no more.
    private func count(_ bytes: Int, startsAnew: Bool = false) throws(ClientError) {
        let isNothingUntold =
            heldBack.isEmpty && batches.isIdle && (snapshots.isIdle || startsAnew)
        if isNothingUntold { untoldBytes = 0 }
        untoldBytes += bytes
        guard untoldBytes <= limits.roomBytes else { throw .exceeded(.roomBytes, limits.roomBytes) }
    }

    func didReceive(_ part: SnapshotPart) throws(ClientError) {
        try count(HeldBytes.of(part), startsAnew: part.isFirst)
        do throws(WireError) {
            guard let snapshot = try snapshots.add(part) else { return }
            heldBack.append(.snapshot(snapshot))
        } catch {
            throw ClientError(error)
        }
        try releaseNews()
    }

    func didReceive(_ authors: BatchAuthors) throws(ClientError) {
        try count(HeldBytes.of(authors))
        heldBack.append(.authors(authors))
        try releaseNews()
    }

    func didReceive(_ message: BatchMessage) throws(ClientError) {
        try count(HeldBytes.of(message.batch))
        do throws(WireError) {
            guard let batch = try batches.add(message) else { return }
            heldBack.append(.batch(batch))
        } catch {
            throw ClientError(error)
        }
        try releaseNews()
    }

    func didReceive(_ update: ViewUpdate) throws(ClientError) {
        try count(HeldBytes.of(update))
        heldBack.append(.view(update))
        try releaseNews()
    }

    /// Tells the news, unless answers must come first.
    func releaseNews() throws(ClientError) {
        guard submissions.repeatedCount == 0, !heldBack.isEmpty else { return }
        let news = heldBack
        heldBack = []
        for news in news { try tell(news) }
    }

    private func tell(_ news: News) throws(ClientError) {
        switch news {
        case .snapshot(let snapshot):
            if options.holdsItems { replica.load(snapshot) }
            take(snapshot.revision)
            observer?.membershipDidLoad(snapshot)
            reviewOthers()
        case .authors(let authors): observer?.membershipDidHear(of: authors)
        case .batch(let batch):
            do throws(ReplicaError) {
                try apply(batch)
            } catch {
                if error == .tooLarge { throw .exceeded(.roomBytes, limits.roomBytes) }
                throw .batchDoesNotFit(error)
            }
            observer?.membershipDidApply(batch)
            if batch.stages.contains(where: \.bringsOrTakesItems) { reviewOthers() }
        case .view(let update): try show(update)
        }
    }

    private func apply(_ batch: Batch) throws(ReplicaError) {
        if options.holdsItems {
            try replica.apply(batch)
        } else {
            guard batch.from == revision, batch.to > batch.from else {
                defer { revision = nil }
                throw .wrongRevision(held: revision, from: batch.from)
            }
        }
        take(batch.to)
    }
}
