import SyncModel

/// What a room takes of transactions, and why not all. It is decided once a turn.
///
/// What the server's memory and the room's own way have no room for is answered `unavailable`, to
/// be sent again. What its quota of disk has no room for is refused for good; what its quota of
/// memory has, where it is near, is judged for each transaction.
package struct Intake: Sendable, Equatable {
    package enum Measure: Int, Sendable, Comparable {
        case all
        /// Only transactions that delete.
        case deletes
        case nothing

        package static func < (left: Measure, right: Measure) -> Bool {
            left.rawValue < right.rawValue
        }

        func takes(_ transaction: TransactionView) -> Bool {
            switch self {
            case .all: true
            case .deletes: transaction.onlyDeletes
            case .nothing: false
            }
        }
    }

    /// What there is memory for now. Views and layouts are made if that is for all.
    let now: Measure
    /// What the room's quota of disk allows.
    let quota: Measure

    static let all = Intake(now: .all, quota: .all)

    private init(now: Measure, quota: Measure) {
        self.now = now
        self.quota = quota
    }

    /// - Parameters:
    ///   - pressure: how near the server's memory is to its limit.
    ///   - isCrowded: whether the room has as much under way for its members as it may: they have
    ///     to take that first.
    ///   - quota: what the room's quota of disk allows.
    package init(_ pressure: MemoryPressure, isCrowded: Bool, quota: Measure) {
        let memory: Measure =
            switch pressure {
            case .none, .sheds: .all
            case .refusesGrowth: .deletes
            case .refusesAll: .nothing
            }
        now = max(memory, isCrowded ? .deletes : .all)
        self.quota = quota
    }
}

/// How near a server's memory is to its limit, and so what its rooms do.
package enum MemoryPressure: Int, Sendable, Comparable {
    case none
    /// What can be made again goes: layouts that nobody looks at, snapshots that nobody is sent,
    /// rooms that nobody is in.
    case sheds
    /// Only transactions that delete are taken; others are answered `unavailable`. No view and no
    /// layout is made.
    case refusesGrowth
    /// No transaction is taken.
    case refusesAll

    package static func < (left: MemoryPressure, right: MemoryPressure) -> Bool {
        left.rawValue < right.rawValue
    }

    /// From which part of the limit on, in percent, each begins. It ends below that, so that it
    /// does not come and go with every message. A holder alone comes to 89 % at most, and four to
    /// 97 %.
    private static let limits: [(pressure: MemoryPressure, begin: Int, end: Int)] = [
        (.refusesAll, 100, 99), (.refusesGrowth, growthPercent, 95), (.sheds, 75, 70),
    ]
    private static let growthPercent = 97

    /// What is left for deletes when nothing grows any more.
    static func growthReserve(of limit: Int) -> Int { limit / 100 * (100 - growthPercent) }

    /// How near the limit is.
    ///
    /// - Parameter current: how near it was.
    package init(of pot: Account, now current: MemoryPressure) {
        let (held, percent) = (pot.held, pot.limit / 100)
        self = .none
        for (pressure, begin, end) in MemoryPressure.limits {
            if held / (current >= pressure ? end : begin) >= percent {
                self = pressure
                return
            }
        }
    }
}
