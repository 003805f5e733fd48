import SyncEngine
import SyncIO
import SyncModel
import SyncRoom
import SyncWire

/// The quotas of a room that may be nearly used up, and its rates.
struct RoomQuotas {
    var writes = WriteRates()
    var recent = WriteWatch()
    var bytes = QuotaWatch()
    var items = QuotaWatch()
    var sections = QuotaWatch()
    var members = QuotaWatch()
}

/// Decides when to warn that a quota is nearly used up: once, and again after the use was lower
/// meanwhile.
struct QuotaWatch {
    /// Whether it has warned, and the use was not lower since.
    private(set) var hasWarned = false

    /// It warns from the first percentage of the limit on, and again after the use was below the
    /// second one.
    private static let warningPercent = 80
    private static let relievedPercent = 70

    /// Whether to warn now.
    mutating func isNews(_ used: Int, of limit: Int) -> Bool {
        // Nearly always the use is far below the limit.
        if used < limit / 2, !hasWarned { return false }
        if used < QuotaWatch.part(QuotaWatch.relievedPercent, of: limit) { hasWarned = false }
        guard used >= QuotaWatch.part(QuotaWatch.warningPercent, of: limit), !hasWarned else {
            return false
        }
        hasWarned = true
        return true
    }

    /// The least number that is so many percent of the limit.
    private static func part(_ percent: Int, of limit: Int) -> Int {
        limit / 100 * percent + (limit % 100 * percent + 99) / 100
    }
}

extension Quota {
    /// What it counts, in the log.
    var noun: String {
        switch self {
        case .transactions, .ownTransactions: "transactions a second"
        case .logBytes: "bytes of log a second"
        case .ownLogBytes: "bytes of transactions a second"
        default: name
        }
    }
}

// Warnings that a room is nearly full, before it refuses anything: in the log, and to its members.
extension RoomHost {
    /// Watches what the room has.
    func watchQuotas() {
        let (engine, policy) = (room.state.engine, room.policy)
        watch(.bytes, \.bytes, room.quotaBytes, of: policy.maximumBytes)
        watch(.items, \.items, engine.itemCount, of: policy.maximumItems)
        watch(.sections, \.sections, engine.sectionCount, of: policy.maximumSections)
        watch(.members, \.members, room.memberCount, of: policy.maximumMembers)
    }

    /// Watches what was written to the room in the last second.
    func watchWrites() {
        let limits = room.policy.writes
        let recent = quotas.writes.recent(limits, at: loop.loop.nowMilliseconds)
        watch(
            .transactions, \.recent.transactions, recent.transactions,
            of: limits.transactions?.burst)
        watch(.logBytes, \.recent.bytes, recent.bytes, of: limits.bytes?.burst)
    }

    private func watch(
        _ quota: Quota, _ path: WritableKeyPath<RoomQuotas, QuotaWatch>, _ used: Int,
        of limit: Int?
    ) {
        guard let limit else {
            quotas[keyPath: path] = QuotaWatch()
            return room.relieve(quota)
        }
        note(quota, &quotas[keyPath: path], used, of: limit)
    }

    /// Warns if a quota is nearly used up. Members that were warned of it are told its figures of
    /// the time when they are ready.
    func note(_ quota: Quota, _ watch: inout QuotaWatch, _ used: Int, of limit: Int) {
        if watch.isNews(used, of: limit) {
            loop.context.log.log(
                .warning, "a room is nearly full",
                [
                    "room": name.text, "of": quota.noun, "count": "\(used)", "limit": "\(limit)",
                ])
            room.warn(of: QuotaUse(quota, used, of: limit))
            loop.compose(self)
        } else if room.isNearLimit(quota) {
            if watch.hasWarned {
                room.update(QuotaUse(quota, used, of: limit))
            } else {
                room.relieve(quota)
            }
        }
    }
}
