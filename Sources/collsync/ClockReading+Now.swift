import Glibc
import SyncIO

extension ClockReading {
    /// What the machine's clocks say now. The steady clock is the one that the server's loops have.
    static var now: ClockReading {
        ClockReading(
            steadyMilliseconds: milliseconds(of: CLOCK_MONOTONIC),
            wallClockMilliseconds: milliseconds(of: CLOCK_REALTIME))
    }

    private static func milliseconds(of clock: clockid_t) -> UInt64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return UInt64(max(0, time.tv_sec)) * 1000 + UInt64(time.tv_nsec) / 1_000_000
    }
}
