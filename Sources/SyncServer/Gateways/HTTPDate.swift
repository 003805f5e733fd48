import Glibc
import SyncIO

/// The time as HTTP writes it (RFC 9110, 5.6.7), such as `Sun, 06 Nov 1994 08:49:37 GMT`. The text
/// is made once a second, for all answers of a loop.
struct HTTPDate {
    private var last: (second: UInt64, text: String)?

    /// - Parameter milliseconds: since 1970, by the wall clock.
    mutating func text(at milliseconds: UInt64) -> String {
        let second = milliseconds / 1000
        if let last, last.second == second { return last.text }
        let text = HTTPDate.text(of: second)
        last = (second, text)
        return text
    }

    private static let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
    /// The last second of the year 9999.
    private static let lastSecond: UInt64 = 253_402_300_799

    private static func text(of second: UInt64) -> String {
        var time = time_t(min(second, lastSecond))
        var parts = tm()
        gmtime_r(&time, &parts)
        let clock = [parts.tm_hour, parts.tm_min, parts.tm_sec].map(twoDigits)
        return "\(days[Int(parts.tm_wday)]), \(twoDigits(parts.tm_mday)) "
            + "\(months[Int(parts.tm_mon)]) \(parts.tm_year + 1900) "
            + "\(clock.joined(separator: ":")) GMT"
    }

    private static func twoDigits(_ number: Int32) -> String {
        number < 10 ? "0\(number)" : "\(number)"
    }
}

extension GatewayConnection {
    /// The time by the wall clock, as HTTP writes it.
    package var date: String { loop.clocks.date.text(at: loop.loop.wallClockMilliseconds) }

    /// Whether clients reach the server by a proxy that speaks TLS with them, and by no other way.
    package var isBehindTLS: Bool { loop.configuration.tokens?.areTakenFromAnywhere == true }
}
