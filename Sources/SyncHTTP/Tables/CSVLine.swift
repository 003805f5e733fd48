/// Reads a line of comma-separated values (RFC 4180): a value in quotes may have commas, and each
/// of its own quotes comes twice.
enum CSVLine {
    private static let comma = UInt8(ascii: ",")
    private static let quote = UInt8(ascii: "\"")

    /// The values; `nil` if a quote stands where none may, or if there are more than allowed.
    static func values(
        of line: UnsafeRawBufferPointer, atMost most: Int
    ) -> [[UInt8]]? {
        var values: [[UInt8]] = []
        var rest = line[...]
        while values.count < most {
            guard let value = rest.first == quote ? quoted(&rest) : plain(&rest) else { return nil }
            values.append(value)
            if rest.isEmpty { return values }
            guard rest.popFirst() == comma else { return nil }
        }
        return nil
    }

    private static func plain(_ rest: inout Slice<UnsafeRawBufferPointer>) -> [UInt8]? {
        let value = Array(rest.prefix { $0 != comma })
        rest = rest.dropFirst(value.count)
        return value.contains(quote) ? nil : value
    }

    private static func quoted(_ rest: inout Slice<UnsafeRawBufferPointer>) -> [UInt8]? {
        var value: [UInt8] = []
        rest = rest.dropFirst()
        while let byte = rest.popFirst() {
            if byte == quote {
                guard rest.first == quote else { return value }
                rest = rest.dropFirst()
            }
            value.append(byte)
        }
        return nil
    }
}
