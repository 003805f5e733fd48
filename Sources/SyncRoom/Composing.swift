import SyncBytes
import SyncModel

/// Which members may lack something, and what is being made for them.
///
/// While the room's revision does not change, only these members can lack something: those that
/// were not served last time, those that became ready since, and new ones. They are queued, and a
/// turn visits the queue only. At each new revision a turn visits all members once. Members that
/// receive something in parts have a queue of their own; a turn visits as many of them as it can
/// serve.
struct Composing {
    /// Whether this turn's budget ended before all members were sent what they lack.
    var hasMore = false
    /// Whether members wait for memory in which their batch or snapshot can be made.
    private(set) var waitsForMemory = false

    // MARK: Members

    /// Members that are receiving something in parts, and are ready for the next part.
    private var receivers = Fifo<Member>()
    /// Other members that may lack something.
    private var others: [Member] = []
    /// The revision for which all members were visited last.
    private var revision: Revision?
    /// Alternates from turn to turn, as one of the two queues may use a whole turn.
    private(set) var areReceiversFirst = false
    /// Members that were sent all parts made so far of the snapshot in progress.
    private var walkWaiters: [Member] = []

    // MARK: What is made

    /// Batches that were made lately for members that are behind.
    var recentSpans = RecentSpans()
    /// The last snapshot begun, while a member is being sent it.
    weak var lastSnapshot: Span?
    /// The walk that makes it; `nil` once it is whole.
    var walk: SnapshotWalk?

    mutating func beginTurn() {
        hasMore = false
        waitsForMemory = false
        areReceiversFirst.toggle()
    }

    /// The state was replaced. Drops what was made of the old one, and has all members visited.
    mutating func beginAgain() {
        lastSnapshot = nil
        recentSpans = RecentSpans()
        revision = nil
    }

    /// Queues a member for the next turn.
    mutating func add(_ member: Member) {
        guard !member.subscription.isQueued else { return }
        member.subscription.isQueued = true
        if member.subscription.feed != nil {
            receivers.append(member)
        } else {
            others.append(member)
        }
    }

    /// Has all members visited in the next turn.
    mutating func addAll() {
        revision = nil
        hasMore = true
    }

    mutating func composeLater(_ members: [Member]) {
        hasMore = true
        for member in members { add(member) }
    }

    /// Queues members again, as there is no memory for what they lack. Frees the recent spans.
    mutating func waitForMemory(_ members: [Member] = []) {
        waitsForMemory = true
        recentSpans = RecentSpans()
        for member in members { add(member) }
    }

    /// Has a member wait for more parts of the snapshot in progress. Meanwhile it counts as queued.
    mutating func waitForWalk(_ member: Member) {
        member.subscription.isQueued = true
        walkWaiters.append(member)
    }

    /// Removes and returns the members that wait for more of the snapshot. They are not queued
    /// then.
    mutating func takeWalkWaiters() -> [Member] {
        let waiters = walkWaiters
        walkWaiters = []
        for member in waiters { member.subscription.isQueued = false }
        return waiters
    }

    /// An upper bound for the members that wait for their next part.
    var receiverCount: Int { receivers.count }

    /// The next member that is ready for its next part.
    mutating func nextReceiver() -> Member? {
        while let member = receivers.popFirst() {
            member.subscription.isQueued = false
            guard member.isReady, !member.hasLeft else { continue }
            if member.subscription.feed != nil { return member }
            // Its span was dropped, so it begins again.
            add(member)
        }
        return nil
    }

    /// Removes and returns the other queued members that are ready, followed by all members if the
    /// revision is new.
    mutating func takeOthers(of members: [Member], at revision: Revision) -> [Member] {
        let former = others
        others = []
        var ready = former.filter { $0.isReady && !$0.hasLeft && $0.subscription.feed == nil }
        if self.revision != revision {
            self.revision = revision
            ready.reserveCapacity(members.count)
            for member in members where member.isReady && !member.subscription.isQueued {
                ready.append(member)
            }
        }
        for member in former { member.subscription.isQueued = false }
        return ready
    }
}

/// What a member wants of the room's content, and what it was sent.
struct Subscription {
    let everyRevision: Bool
    /// Whether it wants no batches.
    let viewOnly: Bool
    /// Whether it wants to know who made the revisions that it is sent.
    let authors: Bool
    /// The least revision of its first snapshot. The client may have seen any revision up to this
    /// one, and the bases of its transactions must not decrease.
    let leastSnapshot: Revision
    var sent: Revision?
    /// The least base that its transactions may still have, as far as the room knows.
    var floor: Revision
    /// What it is being sent, if that takes several deliveries.
    var feed: Feed?
    /// Whether it is queued for the next turn, see ``Composing``.
    var isQueued = false
    /// What it is to be told of the room's quotas.
    var warnings: MemberWarnings

    /// Members with equal progress are sent the same.
    struct Progress: Hashable {
        /// `nil` if the member needs a snapshot.
        var sent: Revision?
        var everyRevision: Bool
        /// The least revision of a snapshot that serves.
        var leastSnapshot: Revision
    }

    var progress: Progress {
        Progress(
            sent: sent, everyRevision: everyRevision, leastSnapshot: sent ?? leastSnapshot)
    }

    /// Whether it has not been sent a revision.
    func lacks(_ revision: Revision) -> Bool {
        guard !viewOnly else { return false }
        guard let sent else { return true }
        return sent < revision
    }

    /// The client says that it has a revision. So it sends no more transactions with an older base.
    mutating func acknowledge(_ revision: Revision) {
        guard let sent else { return }
        floor = max(floor, min(revision, sent))
    }
}
