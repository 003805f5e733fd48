import SyncAccess
import SyncIO

/// Points in time as people read them, in UTC.
enum UTCTime {
    /// Now, as `2026-01-31T12:34:56.789Z`.
    static func now() -> String {
        text(milliseconds: ClockReading.now.wallClockMilliseconds)
    }

    /// Milliseconds since 1970, as `2026-01-31T12:34:56.789Z`.
    static func text(milliseconds: UInt64) -> String {
        let digits = String(milliseconds % 1000)
        let fraction = String(repeating: "0", count: 3 - digits.count) + digits
        return "\(UTCSeconds.text(milliseconds / 1000).dropLast()).\(fraction)Z"
    }

    /// Seconds since 1970, as `2026-01-31T12:34:56Z`, or the number if that is no sensible time.
    static func text(seconds: Double) -> String {
        (0..<1e11).contains(seconds) ? UTCSeconds.text(UInt64(seconds)) : "\(seconds)"
    }
}
