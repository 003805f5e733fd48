import SyncBytes
import SyncIO

/// The text of the metrics, for all that ask for it.
///
/// Making it takes some 0.1 ms, so the loop that is asked does that itself. Whoever asks within
/// ``lifetimeMilliseconds`` of that gets the same bytes. So however many ask, and however often, a
/// loop spends a thousandth of its time on it.
///
/// Invariants:
/// 1. No loop waits while another one makes a text.
/// 2. No text is replaced by one whose making began before it was there. So a counter never seems
///    to go back.
final class MetricsPage: Sendable {
    private struct Version {
        var text: SharedBytes
        var madeAt: UInt64
        var number: UInt64
    }

    /// For how long a text is given out. Scrapers ask less often than that.
    static let lifetimeMilliseconds: UInt64 = 100

    private let last = Monitor<Version?>(nil)

    /// The text of now, or of some milliseconds ago.
    func text(at now: UInt64, making make: () -> [UInt8]) -> SharedBytes {
        let former = last.withLock { $0 }
        if let former, now - min(now, former.madeAt) < MetricsPage.lifetimeMilliseconds {
            return former.text
        }
        let text = SharedBytes(make())
        let number = (former?.number ?? 0) + 1
        return last.withLock { last in
            // Another loop has made one meanwhile.
            if let last, last.number >= number { return last.text }
            last = Version(text: text, madeAt: now, number: number)
            return text
        }
    }
}
