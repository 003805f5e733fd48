import SyncRoom
import Synchronization

/// The ledger of a server's memory: how many bytes its connections and rooms hold, and how many they
/// may hold.
///
/// Each connection and each room has an account, which its loop keeps. A loop adds up what its accounts
/// have changed by in a turn and enters that here, once a turn. So the ledger is behind by a turn, and by
/// what the loops do in it, which their budget bounds.
///
/// Near the limit the server takes less and less (``MemoryPressure``). What is acknowledged stays.
///
/// # Performance
/// Some additions for each connection and room that a turn has touched, and eight atomic ones for a loop's
/// turn.
final class MemoryLedger: Sendable {
    /// The most bytes that all accounts may come to.
    let limitBytes: Int
    /// Below it there is no pressure.
    private let endBytes: Int
    /// Above it nothing is made that can do without.
    private let growthBytes: Int
    private let entered = Mutex(MemoryFigures())
    private let totalBytes = Atomic<Int>(0)
    /// Whether the last thing that was said is that memory is short.
    private let isSaidToBeShort = Atomic<Bool>(false)

    /// From which part of the limit on, in percent, each pressure begins.
    private static let beginnings: [(pressure: MemoryPressure, percent: Int)] = [
        (.refusesAll, 100), (.refusesGrowth, growthPercent), (.sheds, 75),
    ]
    private static let growthPercent = 90
    /// A pressure ends so much below its beginning.
    private static let slackPercent = 5
    /// How many bytes a room takes in memory for each byte of its stored snapshot and log, at most.
    private static let bytesPerStoredByte = 6

    init(limitBytes: Int) {
        self.limitBytes = limitBytes
        let least = MemoryLedger.beginnings.map(\.percent).min() ?? 100
        endBytes = limitBytes / 100 * (least - MemoryLedger.slackPercent)
        growthBytes = limitBytes / 100 * MemoryLedger.growthPercent
    }

    /// What all accounts come to.
    private var total: Int { totalBytes.load(ordering: .relaxed) }

    /// What all accounts come to, by what the memory is held for.
    var figures: MemoryFigures { entered.withLock { $0 } }

    /// Enters by how much accounts have changed.
    func enter(_ change: MemoryFigures) {
        entered.withLock { $0 += change }
        totalBytes.add(change.total, ordering: .relaxed)
    }

    /// How near the limit is.
    ///
    /// - Parameter current: how near it was. It ends at less than it began with, so that it does not come and
    ///   go with every message.
    func pressure(now current: MemoryPressure) -> MemoryPressure {
        let total = total
        if total < endBytes { return .none }
        for (pressure, percent) in MemoryLedger.beginnings {
            let enough = percent - (current >= pressure ? MemoryLedger.slackPercent : 0)
            if total / enough >= limitBytes / 100 { return pressure }
        }
        return .none
    }

    /// Notes how near the limit is.
    ///
    /// - Returns: whether that is to be said, as it was otherwise before.
    func note(_ pressure: MemoryPressure) -> Bool {
        let isShort = pressure >= .refusesGrowth
        return isSaidToBeShort.exchange(isShort, ordering: .relaxed) != isShort
    }

    /// Sets memory aside for something that is to be made.
    ///
    /// - Parameters:
    ///   - kind: what it is counted as.
    ///   - unentered: what is held and was not entered yet.
    /// - Returns: what has it until it is let go; `nil` if there is not so much.
    func reserve(
        _ bytes: Int, for kind: MemoryKind, beside unentered: Int = 0
    ) -> MemoryReservation? {
        let limit = kind == .views ? growthBytes : limitBytes
        guard bytes < limit - min(limit, total + unentered) else { return nil }
        var change = MemoryFigures()
        change[keyPath: kind.path] = bytes
        // Whoever comes second sees what the first one has set aside.
        let after = totalBytes.add(bytes, ordering: .relaxed).newValue
        guard after + unentered < limit else {
            totalBytes.subtract(bytes, ordering: .relaxed)
            return nil
        }
        entered.withLock { $0 += change }
        return MemoryReservation(bytes, kind, self)
    }

    /// Enters that something has another size.
    func change(_ kind: MemoryKind, by bytes: Int) {
        if bytes == 0 { return }
        var change = MemoryFigures()
        change[keyPath: kind.path] = bytes
        enter(change)
    }

    /// How many bytes a stored room takes in memory, at most.
    static func bytes(forStored bytes: Int) -> Int {
        let (needed, overflows) = bytes.multipliedReportingOverflow(by: bytesPerStoredByte)
        return overflows ? .max : needed
    }
}
