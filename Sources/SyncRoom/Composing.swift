/// What a room's members lack, and what is being made for them.
struct Composing {
    /// Whether members lack something that this turn did not suffice for.
    var hasMore = false
    /// Whether members wait until there is memory for what they lack.
    private(set) var waitsForMemory = false
    /// Which members are looked at in the next turn.
    var line = MemberLine()
    /// What was made lately for those that are behind.
    var recentSpans = RecentSpans()
    /// The last snapshot begun, as long as somebody is being sent it.
    weak var lastSnapshot: Span?
    /// What makes it, until it is whole.
    var walk: SnapshotWalk?
    /// The members that have taken all there is of it.
    private var walkWaiters: [Member] = []

    mutating func beginTurn() {
        hasMore = false
        waitsForMemory = false
        line.beginTurn()
    }

    /// The state is another one: nothing that was made is of use, and anybody may lack something.
    mutating func beginAgain() {
        lastSnapshot = nil
        recentSpans = RecentSpans()
        line.forgetRevision()
    }

    /// Leaves members for the next turn.
    mutating func composeLater(_ members: [Member]) {
        hasMore = true
        for member in members { line.add(member) }
    }

    /// Leaves members until there is memory for what they lack.
    mutating func waitForMemory(_ members: [Member] = []) {
        waitsForMemory = true
        recentSpans = RecentSpans()
        for member in members { line.add(member) }
    }

    /// Has a member wait for more of the snapshot that is under way. Meanwhile it counts as being in line.
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
}
