import SyncBytes
package import SyncModel
import SyncWire

/// The quotas of a room that are nearly used up, and the members that are to be told.
///
/// A member that may edit is told once for each warning; others could do nothing about it. What a
/// member has not been told yet is a set of quotas. So nothing queues: a slow member is told the
/// newest figures of each quota, once, when it has read what it was sent before. A quota that
/// is relieved meanwhile is dropped.
///
/// Cost: a warning visits all members once. A quota is encoded once for all of them.
struct NearLimits {
    /// The quotas that were warned of and are not relieved, with their newest figures.
    private var uses: [Quota: QuotaUse] = [:]
    private(set) var quotas: QuotaSet = []
    /// Members that lack something, as far as they may be ready.
    private var waiting: [Member] = []

    /// Whether members that are ready may lack something.
    var areMembersWaiting: Bool { !waiting.isEmpty }

    func use(of quota: Quota) -> QuotaUse? { uses[quota] }

    mutating func set(_ use: QuotaUse) {
        uses[use.quota] = use
        quotas.insert(QuotaSet(use.quota))
    }

    mutating func remove(_ quota: Quota) {
        uses[quota] = nil
        quotas.remove(QuotaSet(quota))
    }

    /// Queues a member that lacks something.
    mutating func queue(_ member: Member) {
        let warnings = member.subscription.warnings
        guard !warnings.isQueued, !warnings.pending.isEmpty else { return }
        member.subscription.warnings.isQueued = true
        waiting.append(member)
    }

    /// Removes and returns the queued members that are ready. The others are queued again when
    /// they become ready.
    mutating func takeReady() -> [Member] {
        let line = waiting
        waiting = []
        for member in line { member.subscription.warnings.isQueued = false }
        return line.filter { $0.isReady && !$0.hasLeft }
    }
}

/// A set of quotas.
struct QuotaSet: OptionSet, Hashable {
    let rawValue: UInt16

    init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    init(_ quota: Quota) {
        rawValue = 1 << quota.rawValue
    }
}

/// What a member is to be told of the room's quotas.
struct MemberWarnings {
    /// What the member may do, as far as the room knows. Its connection enforces this.
    var role: Role
    /// The quotas that it has not been told of.
    var pending: QuotaSet = []
    /// Whether it is among the members that wait, see ``NearLimits``.
    var isQueued = false
}

extension Room {
    /// Whether members were warned of a quota, and it is not relieved.
    package func isNearLimit(_ quota: Quota) -> Bool {
        nearLimits.quotas.contains(QuotaSet(quota))
    }

    /// Warns all members that may edit that a quota is nearly used up. The next
    /// ``compose(with:at:deliver:)`` sends it.
    package func warn(of use: QuotaUse) {
        nearLimits.set(use)
        budget.spend(WorkCost.look.steps(members.list.count))
        for member in members.list { warn(member, of: QuotaSet(use.quota)) }
    }

    /// Updates the figures of a quota that members were warned of.
    package func update(_ use: QuotaUse) {
        if isNearLimit(use.quota) { nearLimits.set(use) }
    }

    /// A quota is no longer nearly used up. Members that have not been told of it never will be.
    package func relieve(_ quota: Quota) {
        if isNearLimit(quota) { nearLimits.remove(quota) }
    }

    /// Warns a new member of all that others were warned of.
    func warnOfAll(_ member: Member) {
        warn(member, of: nearLimits.quotas)
    }

    private func warn(_ member: Member, of quotas: QuotaSet) {
        guard member.subscription.warnings.role >= .editor else { return }
        member.subscription.warnings.pending.formUnion(quotas)
        nearLimits.queue(member)
    }

    /// Changes what a member may do. One that may edit from now on is warned like a new one.
    package func change(_ role: Role, of id: ConnectionID) {
        guard let member = members[id], member.subscription.warnings.role != role else { return }
        let former = member.subscription.warnings.role
        member.subscription.warnings.role = role
        if role < .editor {
            member.subscription.warnings.pending = []
        } else if former < .editor {
            warnOfAll(member)
        }
    }

    // MARK: Sending

    /// So many members are told in any case, so that they are told in a busy room, too.
    private static let leastWarned = 16

    /// Tells members which quotas are nearly used up. Members beyond the turn's budget wait for the
    /// next turn.
    func composeNearLimits(
        for members: [Member], with encoder: MessageEncoder, deliver: Send
    ) {
        if members.isEmpty { return }
        budget.spend(WorkCost.look.steps(members.count))
        var groups: [(quotas: QuotaSet, members: [Member])] = []
        for member in members {
            member.subscription.warnings.pending.formIntersection(nearLimits.quotas)
            let quotas = member.subscription.warnings.pending
            if quotas.isEmpty { continue }
            let index = groups.firstIndex { $0.quotas == quotas }
            if let index {
                groups[index].members.append(member)
            } else {
                groups.append((quotas, [member]))
            }
        }
        var least = Room.leastWarned
        for (quotas, members) in groups {
            let most = budget.left > 0 ? WorkCost.delivery.units(for: budget.left) : 0
            let told = members.prefix(max(most, least))
            least = max(0, least - told.count)
            if !told.isEmpty { tell(Array(told), quotas, encoder, deliver) }
            let rest = members.dropFirst(told.count)
            if rest.isEmpty { continue }
            composing.hasMore = true
            for member in rest { nearLimits.queue(member) }
        }
    }

    private func tell(
        _ members: [Member], _ quotas: QuotaSet, _ encoder: MessageEncoder, _ deliver: Send
    ) {
        var frames: [EncodedFrame] = []
        for quota in Quota.allCases where quotas.contains(QuotaSet(quota)) {
            guard let use = nearLimits.use(of: quota) else { continue }
            frames.append(encoder.encode(.nearLimit(NearLimit(room: handle, use))))
        }
        budget.spend(frames.count + WorkCost.delivery.steps(members.count))
        for member in members {
            member.subscription.warnings.pending = []
            member.isReady = false
        }
        deliver(frames, members)
    }
}
