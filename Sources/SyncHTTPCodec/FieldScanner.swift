import SyncBytes

/// Reads the value of a field from left to right (RFC 9110, 5.6).
struct FieldScanner {
    private var rest: Substring.UTF8View

    /// - Parameter values: those of all fields of the name, which are one list.
    init(_ values: [ForeignText]) {
        self.init(ForeignText(bounded: values.map(\.shown).joined(separator: ",")))
    }

    init(_ value: ForeignText) {
        rest = value.shown[...].utf8
        skipSpaces()
    }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func skipSpaces() {
        rest = rest.drop { $0 == 0x20 || $0 == 0x09 }
    }

    /// Skips a mark, if it comes next.
    mutating func pass(_ mark: Unicode.Scalar) -> Bool {
        guard let first = rest.first, UInt32(first) == mark.value else { return false }
        rest = rest.dropFirst()
        return true
    }

    /// Takes a token; `nil` if none comes next.
    mutating func token() -> ForeignText? {
        let bytes = rest.prefix(while: HTTPFields.isTokenByte)
        rest = rest.dropFirst(bytes.count)
        return bytes.isEmpty ? nil : ForeignText(bounded: String(Substring(bytes)))
    }

    /// Takes what is between quotes, without the backslashes before its characters.
    mutating func quoted() -> ForeignText? {
        guard pass("\"") else { return nil }
        var bytes: [UInt8] = []
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "\""):
                return ForeignText(bounded: String(decoding: bytes, as: UTF8.self))
            case UInt8(ascii: "\\"):
                guard let escaped = rest.popFirst() else { return nil }
                bytes.append(escaped)
            default: bytes.append(byte)
            }
        }
        return nil
    }

    mutating func tokenOrQuoted() -> ForeignText? {
        token() ?? quoted()
    }

    /// Takes an opaque tag with its quotes, which has no backslashes (RFC 9110, 8.8.3).
    mutating func opaqueTag() -> ForeignText? {
        guard rest.first == UInt8(ascii: "\"") else { return nil }
        let inner = rest.dropFirst().prefix { $0 > 0x20 && $0 != 0x22 && $0 != 0x7F }
        rest = rest.dropFirst(inner.count + 1)
        guard pass("\"") else { return nil }
        return ForeignText(bounded: "\"\(Substring(inner))\"")
    }
}
