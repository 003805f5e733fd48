import SyncLayout
package import SyncModel
import SyncWire

/// A client's membership in one room: its copy of the content, its views, its unanswered
/// transactions, and the other members.
///
/// It outlives connections: ``ClientSession`` notifies it of each new and each lost one.
///
/// Invariants:
/// 1. The observer is called in order: joined, then a snapshot, or batches that each begin at the
///    membership's revision. After a lost connection the same follows again, from that revision on.
/// 2. A transaction's answer comes before the batch that contains it. After a lost connection, or
///    when the server's store has failed, the server can't guarantee that. So news is buffered
///    until all repeated transactions are answered.
/// 3. Every transaction is answered exactly once.
/// 4. A transaction is never sent as one for another room, or for another history, than it was made
///    for. It is rejected (`roomChanged`), unless the server knows its result. What was made at
///    revision 0 is for whatever room has the name.
package final class Membership {
    /// What the server sent of the room.
    private enum News {
        case snapshot(Snapshot)
        case authors(BatchAuthors)
        case batch(Batch)
        case view(ViewUpdate)
    }

    package let room: RoomName
    package let options: Options
    private(set) weak var observer: (any MembershipObserver)?

    /// The room's content, if ``Options/keepsItems``.
    package internal(set) var replica: Replica
    /// The revision of the content, if any; for a member with views only, the newest that one of
    /// them shows.
    package internal(set) var revision: Revision?

    /// The room's id and epochs, as the server sent them last.
    private(set) var identity: RoomIdentity?
    /// The room and epoch that ``revision`` belongs to.
    package private(set) var origin: Origin?
    /// Whether the content is not that of the current room, and its replacement has not come yet.
    package private(set) var isOutdated = false

    /// The room's revision at the last join.
    private(set) var joinedRevision: Revision = 0

    /// The room's number on the current connection.
    private(set) var handle: RoomHandle?
    /// The join that is not answered yet.
    private(set) var pendingJoin: PendingJoin?
    private(set) var hasJoined = false
    private(set) var isEnded = false

    var ownPresence = OwnPresence()
    var otherMembers = OtherMembers()
    var views = ViewTable()
    var drags = OwnDrags()
    var submissions = SubmissionQueue()
    /// The client's identity and last numbers in the room.
    var author: RoomAuthor
    private var snapshots = SnapshotAssembler()
    private var batches = BatchAssembler()
    private var bufferedNews: [News] = []
    /// Bytes of news that was received but not delivered yet.
    private var bufferedBytes = 0
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
            options.keepsItems = false
            options.from = nil
            options.everyRevision = false
        }
        self.options = options
        if !options.keepsItems { revision = options.from }
        origin = options.origin
    }

    // MARK: Connections

    /// The server has accepted the join.
    func didJoin(_ joined: Joined) throws(ClientError) {
        pendingJoin = nil
        handle = joined.handle
        hasJoined = true
        author.numberOn(after: joined.counter)
        identity = joined.identity
        if joined.changed {
            isOutdated = !options.isViewOnly || views.isAnyOpen
        } else {
            // The content is valid, perhaps again: a server may get back the store that it had
            // before.
            isOutdated = false
            origin = revision.map { joined.identity.origin(of: $0) } ?? origin
        }
        joinedRevision = joined.revision
        if options.isViewOnly, !isOutdated {
            setRevision(
                joined.changed ? joined.revision : min(revision ?? joined.revision, joined.revision)
            )
        }
        observer?.membershipDidJoin(joined)
        if joined.changed { refuseForeign() }
        try takeEarlyAnswers(joined)
    }

    /// Rejects transactions that were made for another room than the current one. Those that were
    /// sent are resent, since the server may know their results.
    private func refuseForeign() {
        for submission in submissions.removeForeign() {
            answer(submission, .rejected(.roomChanged))
        }
    }

    /// Continues as another author: the room has forgotten the client, and another client has its
    /// id. So the results of all sent transactions are unknown.
    func adoptIdentity(_ identity: ClientIdentity) {
        forgetJoin(cameThrough: pendingJoin?.sentCounter ?? .max)
        author.adoptIdentity(identity)
        for submission in submissions.removeRepeated() {
            answer(submission, .rejected(.forgotten))
        }
    }

    /// Sets the revision, which belongs to the room of the last join.
    func setRevision(_ revision: Revision) {
        self.revision = revision
        origin = identity?.origin(of: revision)
        isOutdated = false
    }

    func didLoseConnection() {
        forgetJoin(cameThrough: .max)
    }

    /// Resets what belongs to the connection and its join.
    ///
    /// - Parameter counter: transactions above it have not reached the room.
    private func forgetJoin(cameThrough counter: UInt64) {
        pendingJoin = nil
        handle = nil
        snapshots = SnapshotAssembler()
        batches = BatchAssembler()
        bufferedNews = []
        bufferedBytes = 0
        views.didLoseConnection()
        drags.didLoseConnection()
        loseDrag(.hungUp)
        submissions.didLoseConnection(cameThrough: counter)
        ownPresence.repeatState()
        forgetOthers()
    }

    /// The connection is lost, and the session retries after the delay.
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

    /// The message of a join, which is in flight from now on.
    ///
    /// - Parameter presence: whether the server offers it.
    func beginJoin(_ request: RequestID, presence: Bool) -> Join {
        pendingJoin = PendingJoin(request: request, sentCounter: author.sentCounter)
        return Join(
            request: request, room: room, client: author.identity.client,
            secret: author.identity.secret,
            from: options.keepsItems ? replica.revision : revision,
            everyRevision: options.everyRevision, viewOnly: options.isViewOnly,
            presence: options.presence && presence, origin: origin, counter: author.sentCounter,
            answeredThrough: answeredThrough, authors: options.authors)
    }

    /// How messages name the room on this connection; `nil` without a join.
    var name: RoomReference? {
        handle.map { RoomReference(handle: $0) }
            ?? pendingJoin.map { RoomReference(join: $0.request) }
    }

    // MARK: News

    /// Counts the bytes of received news. News that was delivered no longer counts.
    private func count(_ bytes: Int, startsAnew: Bool = false) throws(ClientError) {
        let isNothingBuffered =
            bufferedNews.isEmpty && batches.isIdle && (snapshots.isIdle || startsAnew)
        if isNothingBuffered { bufferedBytes = 0 }
        bufferedBytes += bytes
        guard bufferedBytes <= limits.roomBytes else {
            throw .exceeded(.roomBytes, limits.roomBytes)
        }
    }

    /// Refuses content in a room that was joined for views only: its observer expects none.
    private func expectContent() throws(ClientError) {
        if options.isViewOnly { throw .broken(.badMessage, "it sends more than views") }
    }

    func didReceive(_ part: SnapshotPart) throws(ClientError) {
        try expectContent()
        try count(MemoryBytes.of(part), startsAnew: part.isFirst)
        do throws(WireError) {
            guard let snapshot = try snapshots.add(part) else { return }
            bufferedNews.append(.snapshot(snapshot))
        } catch {
            throw ClientError(error)
        }
        try deliverNews()
    }

    func didReceive(_ authors: BatchAuthors) throws(ClientError) {
        try count(MemoryBytes.of(authors))
        bufferedNews.append(.authors(authors))
        try deliverNews()
    }

    func didReceive(_ message: BatchMessage) throws(ClientError) {
        try expectContent()
        try count(MemoryBytes.of(message.batch))
        do throws(WireError) {
            guard let batch = try batches.add(message) else { return }
            bufferedNews.append(.batch(batch))
        } catch {
            throw ClientError(error)
        }
        try deliverNews()
    }

    /// A quota of the room, or of the client's user or address, is nearly used up.
    func isNear(_ use: QuotaUse) {
        observer?.membershipIsNear(use)
    }

    func didReceive(_ update: ViewUpdate) throws(ClientError) {
        try count(MemoryBytes.of(update))
        bufferedNews.append(.view(update))
        try deliverNews()
    }

    /// Delivers the buffered news, unless answers must come first.
    func deliverNews() throws(ClientError) {
        guard submissions.repeatedCount == 0, !bufferedNews.isEmpty else { return }
        let news = bufferedNews
        bufferedNews = []
        for news in news { try deliver(news) }
    }

    private func deliver(_ news: News) throws(ClientError) {
        switch news {
        case .snapshot(let snapshot):
            if options.keepsItems { replica.load(snapshot) }
            setRevision(snapshot.revision)
            observer?.membershipDidLoad(snapshot)
            reviewOthers()
        case .authors(let authors): observer?.membershipDidReceive(authors)
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
        if options.keepsItems {
            try replica.apply(batch)
        } else {
            guard batch.from == revision, batch.to > batch.from else {
                defer { revision = nil }
                throw .wrongRevision(current: revision, from: batch.from)
            }
        }
        setRevision(batch.to)
    }
}
