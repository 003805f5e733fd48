/// How near a server's memory is to its limit, and so what its rooms do.
package enum MemoryPressure: Int, Sendable, Comparable {
    case none
    /// What can be made again goes: layouts that nobody looks at, snapshots that nobody is sent, rooms that nobody is
    /// in.
    case sheds
    /// Only transactions that delete are taken; others are answered `unavailable`. No view and no layout
    /// is made.
    case refusesGrowth
    /// No transaction is taken.
    case refusesAll

    package static func < (left: MemoryPressure, right: MemoryPressure) -> Bool {
        left.rawValue < right.rawValue
    }

    /// From which part of the limit on, in percent, each begins. It ends below that, so that it does not come and go with
    /// every message. A holder alone comes to 89 % at most, and four to 97 %.
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
