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
    private let entered = Mutex(MemoryFigures())
    private let totalBytes = Atomic<Int>(0)
    /// Whether the last thing that was said is that memory is short.
    private let isSaidToBeShort = Atomic<Bool>(false)

    /// From which part of the limit on, in percent, each pressure begins.
    private static let beginnings: [(pressure: MemoryPressure, percent: Int)] = [
        (.refusesAll, 100), (.refusesGrowth, 90), (.sheds, 75),
    ]
    /// A pressure ends so much below its beginning.
    private static let slackPercent = 5
    /// How many bytes a room takes in memory for each byte of its stored snapshot and log, at most.
    static let bytesPerStoredByte = 6

    init(limitBytes: Int) {
        self.limitBytes = limitBytes
        let least = MemoryLedger.beginnings.map(\.percent).min() ?? 100
        endBytes = limitBytes / 100 * (least - MemoryLedger.slackPercent)
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
    /// - Parameters:
    ///   - bytes: what is held that no account has.
    ///   - current: how near it was. It ends at less than it began with, so that it does not come and go with
    ///     every message.
    func pressure(beside bytes: Int, now current: MemoryPressure) -> MemoryPressure {
        let total = total + bytes
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

    /// Whether there is room for a stored room of so many bytes.
    func hasRoom(forStored bytes: Int) -> Bool {
        let (needed, overflows) = bytes.multipliedReportingOverflow(
            by: MemoryLedger.bytesPerStoredByte)
        return !overflows && total + needed < limitBytes
    }
}
