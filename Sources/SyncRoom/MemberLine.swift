import SyncEngine

/// The members that can take something and may lack something, in the order in which they get their turn: those
/// that are being sent something in parts, and the others, in a line each.
///
/// While the room's revision stays, only who was not served the last time, has taken what it was sent since, or is new
/// can lack something. So a turn looks at those only; with each revision it looks at all members once. Of those that
/// are being sent parts it looks at as many as it can serve.
struct MemberLine {
    /// Those that are being sent something; the first `servedCount` had their turn.
    private var receivers: [Member] = []
    private var servedCount = 0
    private var others: [Member] = []
    /// The revision that all members were looked at for.
    private var revision: Revision?
    /// Which line comes first takes turns, as a turn may suffice for one of them only.
    private(set) var areReceiversFirst = false

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
    mutating func forgetRevision() {
        revision = nil
    }

    /// Begins a turn.
    mutating func beginTurn() {
        areReceiversFirst.toggle()
    }

    /// How many that are being sent something wait for a turn, at most.
    var receiverCount: Int { receivers.count - servedCount }

    /// The next who is being sent something and can take more.
    mutating func nextReceiver() -> Member? {
        if servedCount > MemberLine.keptMembers, servedCount > receivers.count / 2 {
            receivers.removeFirst(servedCount)
            servedCount = 0
        }
        while servedCount < receivers.count {
            let member = receivers[servedCount]
            servedCount += 1
            member.subscription.isInLine = false
            guard member.isReady, !member.hasLeft else { continue }
            if member.subscription.feed != nil { return member }
            // What it was being sent is no more.
            add(member)
        }
        receivers.removeAll(keepingCapacity: receivers.count <= MemberLine.keptMembers)
        servedCount = 0
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

    /// The memory of a line of so many is kept.
    private static let keptMembers = 1024
}
