import Glibc
import SyncAccess

/// Points in time as people read them, in UTC.
enum UTCTime {
    /// Now, as `2026-01-31T12:34:56.789Z`.
    static func now() -> String {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        let digits = String(now.tv_nsec / 1_000_000)
        let fraction = String(repeating: "0", count: max(0, 3 - digits.count)) + digits
        return "\(UTCSeconds.text(UInt64(max(0, now.tv_sec))).dropLast()).\(fraction)Z"
    }

    /// Seconds since 1970, as `2026-01-31T12:34:56Z`, or the number if that is no sensible time.
    static func text(seconds: Double) -> String {
        (0..<1e11).contains(seconds) ? UTCSeconds.text(UInt64(seconds)) : "\(seconds)"
    }
}
