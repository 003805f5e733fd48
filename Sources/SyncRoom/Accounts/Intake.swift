import SyncModel

/// Which transactions a room accepts. It is decided once a turn.
///
/// If the server is short of memory, or too much of the room is on its way to members, transactions
/// are answered `unavailable`; their clients send them again. So they are while more was written
/// than the rates of the room or of the server allow. If the room's quota of disk is exceeded, they
/// are refused for good. The room's quota of memory is checked for each transaction, once it is
/// near.
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

    /// What there is memory for now. Views and layouts are only made if that is `all`.
    let now: Measure
    /// What the room's quota of disk allows.
    let quota: Measure

    /// For how many milliseconds the rates allow no transaction.
    package let waitMilliseconds: UInt64
    /// The rates, of which each member's holder has a share; `nil` if there are none.
    let rates: CurrentRates?
    /// Whether some transactions are refused for now.
    let refusesSome: Bool

    static let all = Intake(now: .all, quota: .all, waitMilliseconds: 0)

    private init(
        now: Measure, quota: Measure, waitMilliseconds: UInt64, rates: CurrentRates? = nil
    ) {
        self.now = now
        self.rates = rates
        self.quota = quota
        self.waitMilliseconds = waitMilliseconds
        refusesSome = now != .all || waitMilliseconds > 0
    }

    /// - Parameters:
    ///   - pressure: how near the server's memory is to its limit.
    ///   - isCrowded: whether as much as is allowed is on its way to members; they have to read
    ///     that first.
    ///   - quota: what the room's quota of disk allows.
    ///   - wait: for how many milliseconds the rates allow no transaction.
    ///   - rates: the rates, if there are some.
    package init(
        _ pressure: MemoryPressure, isCrowded: Bool, quota: Measure,
        waitMilliseconds wait: UInt64 = 0, rates: CurrentRates? = nil
    ) {
        let memory: Measure =
            switch pressure {
            case .none, .sheds: .all
            case .refusesGrowth: .deletes
            case .refusesAll: .nothing
            }
        self.init(
            now: max(memory, isCrowded ? .deletes : .all), quota: quota, waitMilliseconds: wait,
            rates: rates)
    }

    /// Why a transaction is refused for now; `nil` if it is not.
    func refusal(of transaction: TransactionView) -> Rejection? {
        if !now.takes(transaction) { return .outOfMemory }
        return waitMilliseconds > 0
            ? .overRate(retryAfterMilliseconds: waitMilliseconds) : nil
    }
}

/// How near a server's memory is to its limit. It decides what its rooms may do.
package enum MemoryPressure: Int, Sendable, Comparable {
    case none
    /// What can be made again is dropped: layouts that no reader uses, snapshots that nobody is
    /// being sent, rooms without members.
    case sheds
    /// Only transactions that delete are accepted; others are answered `unavailable`. No view and
    /// no layout is made.
    case refusesGrowth
    /// No transaction is accepted.
    case refusesAll

    package static func < (left: MemoryPressure, right: MemoryPressure) -> Bool {
        left.rawValue < right.rawValue
    }

    /// The parts of the limit at which each pressure begins and ends, in percent. It ends below its
    /// beginning, so that it does not change with every message. A single holder reaches 89 % at
    /// most, four holders 97 %.
    private static let limits: [(pressure: MemoryPressure, begin: Int, end: Int)] = [
        (.refusesAll, 100, 99), (.refusesGrowth, growthPercent, 95), (.sheds, 75, 70),
    ]
    private static let growthPercent = 97

    /// The bytes that are left for deletes when all growth is refused.
    static func growthReserve(of limit: Int) -> Int { limit / 100 * (100 - growthPercent) }

    /// The pressure on a pot.
    ///
    /// - Parameter current: the pressure until now.
    package init(of pot: Account, now current: MemoryPressure) {
        let (used, percent) = (pot.used, pot.limit / 100)
        self = .none
        for (pressure, begin, end) in MemoryPressure.limits {
            if used / (current >= pressure ? end : begin) >= percent {
                self = pressure
                return
            }
        }
    }
}
