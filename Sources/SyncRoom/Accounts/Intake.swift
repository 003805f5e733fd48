import SyncEngine

/// What a room takes of transactions, and why not all. It is decided once a turn.
///
/// What the server's memory and the room's own way have no room for is answered `unavailable`, to be sent again. What its
/// quota of disk has no room for is refused for good; what its quota of memory has, where it is near, is judged for each
/// transaction.
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
    ///   - isCrowded: whether the room has as much under way for its members as it may: they have to take that first.
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
