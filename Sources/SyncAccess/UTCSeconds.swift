import Glibc
import SyncBytes

/// Seconds since 1970 as `2026-01-31T12:34:56Z`.
package enum UTCSeconds {
    /// The last second of the year 9999.
    private static let last: UInt64 = 253_402_300_799

    package static func text(_ seconds: UInt64) -> String {
        var time = time_t(min(seconds, last))
        var parts = tm()
        gmtime_r(&time, &parts)
        let date = [(Int(parts.tm_year) + 1900, 4), (Int(parts.tm_mon) + 1, 2)]
            .map(padded).joined(separator: "-")
        let clock = [(Int(parts.tm_hour), 2), (Int(parts.tm_min), 2), (Int(parts.tm_sec), 2)]
            .map(padded).joined(separator: ":")
        return "\(date)-\(padded(Int(parts.tm_mday), 2))T\(clock)Z"
    }

    /// `nil` if the text has another form, or is no time from 1970 to 9999.
    package static func parse(_ text: UnsafeRawBufferPointer) -> UInt64? {
        let bytes = Array(text)
        let form = Array("0000-00-00T00:00:00Z".utf8)
        guard bytes.count == form.count else { return nil }
        for (byte, sign) in zip(bytes, form) {
            let fits = sign == UInt8(ascii: "0") ? (0x30...0x39).contains(byte) : byte == sign
            guard fits else { return nil }
        }
        func number(_ range: Range<Int>) -> Int32 {
            bytes[range].reduce(0) { $0 * 10 + Int32($1 - 0x30) }
        }
        var parts = tm()
        (parts.tm_year, parts.tm_mon) = (number(0..<4) - 1900, number(5..<7) - 1)
        (parts.tm_mday, parts.tm_hour) = (number(8..<10), number(11..<13))
        (parts.tm_min, parts.tm_sec) = (number(14..<16), number(17..<19))
        let seconds = timegm(&parts)
        // A day or an hour that there is not becomes another one.
        guard seconds >= 0, self.text(UInt64(seconds)).hasSameBytes(as: text) else { return nil }
        return UInt64(seconds)
    }

    private static func padded(_ number: Int, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}
