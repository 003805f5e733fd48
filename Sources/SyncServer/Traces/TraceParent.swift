package import SyncBytes

/// What a request belongs to, by the header `traceparent` of W3C Trace Context.
///
/// It stands in lines of the log alone, so that these can be found by the ids of a tracing system.
package struct TraceParent: Sendable, Equatable {
    private let trace: (high: UInt64, low: UInt64)
    private let parent: UInt64

    /// - Returns: `nil` unless it is of version 00, in lower case, and neither id is zero.
    package init?(_ text: ForeignText) {
        guard text.byteCount == TraceParent.byteCount else { return nil }
        let parts = text.shown.utf8.split(
            separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard parts.map(\.count) == [2, 32, 16, 2], parts[0].elementsEqual("00".utf8),
            let high = TraceParent.number(parts[1].prefix(16)),
            let low = TraceParent.number(parts[1].dropFirst(16)), high != 0 || low != 0,
            let parent = TraceParent.number(parts[2]), parent != 0,
            TraceParent.number(parts[3]) != nil
        else { return nil }
        trace = (high, low)
        self.parent = parent
    }

    private static let byteCount = 2 + 1 + 32 + 1 + 16 + 1 + 2

    /// The id of the whole trace, as 32 hexadecimal digits.
    package var traceID: String { TraceParent.digits(trace.high) + TraceParent.digits(trace.low) }

    /// The id of the client's part in it, as 16 digits.
    package var parentID: String { TraceParent.digits(parent) }

    package static func == (left: TraceParent, right: TraceParent) -> Bool {
        left.trace == right.trace && left.parent == right.parent
    }

    private static func number(_ digits: Substring.UTF8View) -> UInt64? {
        var number: UInt64 = 0
        for digit in digits {
            switch digit {
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                number = number << 4 | UInt64(digit - UInt8(ascii: "0"))
            case UInt8(ascii: "a")...UInt8(ascii: "f"):
                number = number << 4 | UInt64(digit - UInt8(ascii: "a") + 10)
            default: return nil
            }
        }
        return number
    }

    private static func digits(_ number: UInt64) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
