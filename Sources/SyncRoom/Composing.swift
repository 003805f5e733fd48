import SyncBytes
import SyncModel

/// What a room's members lack, and what is being made for them.
///
/// While the room's revision stays, only who was not served the last time, has taken what it was
/// sent since, or is new can lack something. So a turn looks at those only, in their order; with
/// each revision it looks at all members once. Of those that are being sent something in parts it
/// looks at as many as it can serve.
struct Composing {
    /// Whether members lack something that this turn did not suffice for.
    var hasMore = false
    /// Whether members wait until there is memory for what they lack.
    private(set) var waitsForMemory = false

    // MARK: Members

    /// Those that are being sent something, and can take more.
    private var receivers = Fifo<Member>()
    /// Those others that may lack something.
    private var others: [Member] = []
    /// The revision that all members were looked at for.
    private var revision: Revision?
    /// Who comes first takes turns, as a turn may suffice for one kind only.
    private(set) var areReceiversFirst = false
    /// The members that have taken all there is of the snapshot that is under way.
    private var walkWaiters: [Member] = []

    // MARK: What is made

    /// What was made lately for those that are behind.
    var recentSpans = RecentSpans()
    /// The last snapshot begun, as long as somebody is being sent it.
    weak var lastSnapshot: Span?
    /// What makes it, until it is whole.
    var walk: SnapshotWalk?

    mutating func beginTurn() {
        hasMore = false
        waitsForMemory = false
        areReceiversFirst.toggle()
    }

    /// The state is another one: nothing that was made is of use, and anybody may lack something.
    mutating func beginAgain() {
        lastSnapshot = nil
        recentSpans = RecentSpans()
        revision = nil
    }

    /// Has the member looked at in the next turn.
    mutating func add(_ member: Member) {
        guard !member.subscription.isInLine else { return }
        member.subscription.isInLine = true
        if member.subscription.feed != nil {
            receivers.append(member)
        } else {
            others.append(member)
        }
    }

    /// Has all members looked at in the next turn.
    mutating func addAll() {
        revision = nil
        hasMore = true
    }

    mutating func composeLater(_ members: [Member]) {
        hasMore = true
        for member in members { add(member) }
    }

    /// Leaves members until there is memory for what they lack.
    mutating func waitForMemory(_ members: [Member] = []) {
        waitsForMemory = true
        recentSpans = RecentSpans()
        for member in members { add(member) }
    }

    /// Has a member wait for more of the snapshot that is under way. Meanwhile it counts as being
    /// in line.
    mutating func waitForWalk(_ member: Member) {
        member.subscription.isInLine = true
        walkWaiters.append(member)
    }

    /// Those that wait for more of the snapshot, which are in no line then.
    mutating func takeWalkWaiters() -> [Member] {
        let waiters = walkWaiters
        walkWaiters = []
        for member in waiters { member.subscription.isInLine = false }
        return waiters
    }

    /// How many that are being sent something wait for a turn, at most.
    var receiverCount: Int { receivers.count }

    /// The next who is being sent something and can take more.
    mutating func nextReceiver() -> Member? {
        while let member = receivers.popFirst() {
            member.subscription.isInLine = false
            guard member.isReady, !member.hasLeft else { continue }
            if member.subscription.feed != nil { return member }
            // What it was being sent is no more.
            add(member)
        }
        return nil
    }

    /// Those others that can take something; behind them all members, if the revision is new.
    mutating func takeOthers(of members: [Member], at revision: Revision) -> [Member] {
        let former = others
        others = []
        var ready = former.filter { $0.isReady && !$0.hasLeft && $0.subscription.feed == nil }
        if self.revision != revision {
            self.revision = revision
            ready.reserveCapacity(members.count)
            for member in members where member.isReady && !member.subscription.isInLine {
                ready.append(member)
            }
        }
        for member in former { member.subscription.isInLine = false }
        return ready
    }
}

/// What a member is sent of the room, and how far that has come.
struct Subscription {
    let everyRevision: Bool
    /// It is sent no batches.
    let viewOnly: Bool
    /// It is told who made what its batches bring.
    let authors: Bool
    /// The least revision of a first snapshot: it has held more than an older one, and its bases
    /// must not go down.
    let leastSnapshot: Revision
    var sent: Revision?
    /// The least revision that it may still make transactions from, as far as is known.
    var floor: Revision
    /// What it is being sent, where that takes several deliveries.
    var feed: Feed?
    /// Whether it is looked at in the next turn, see ``Composing``.
    var isInLine = false

    /// Where members stand that are to be sent the same.
    struct Progress: Hashable {
        /// `nil` for those who need a snapshot.
        var sent: Revision?
        var everyRevision: Bool
        /// No snapshot may be older.
        var leastSnapshot: Revision
    }

    var progress: Progress {
        Progress(
            sent: sent, everyRevision: everyRevision, leastSnapshot: sent ?? leastSnapshot)
    }

    /// Whether it is to be sent something to come to a revision.
    func lacks(_ revision: Revision) -> Bool {
        guard !viewOnly else { return false }
        guard let sent else { return true }
        return sent < revision
    }

    /// The client holds a revision: it makes no transactions from what is before.
    mutating func hold(_ revision: Revision) {
        guard let sent else { return }
        floor = max(floor, min(revision, sent))
    }
}
