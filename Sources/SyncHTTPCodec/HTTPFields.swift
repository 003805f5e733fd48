import SyncBytes

/// The header fields of an HTTP message, in order. Names are compared without regard to case.
///
/// In a received value each byte above 127 is a character of its own, as in Latin-1 and in
/// browsers. As UTF-8, 16 KiB of combining marks could be one character, and to compare or to hash
/// that takes tens of milliseconds.
///
/// # Performance
/// Look-ups are O(n): a message has few fields.
package struct HTTPFields: Sendable, Equatable {
    package private(set) var all: [Field] = []

    package struct Field: Sendable, Equatable {
        package var name: String
        package var value: String
    }

    package init() {}

    package init(_ fields: KeyValuePairs<String, String>) {
        all = fields.map { Field(name: $0.key, value: $0.value) }
    }

    /// Adds a field behind the others, which may have the same name.
    package mutating func add(_ name: String, _ value: String) {
        all.append(Field(name: name, value: value))
    }

    /// Replaces all fields of a name by one.
    package mutating func set(_ name: String, _ value: String) {
        all.removeAll { HTTPFields.isSame($0.name, name) }
        add(name, value)
    }

    package mutating func add(_ others: HTTPFields) {
        all += others.all
    }

    /// The values of a field, in order.
    package func values(of name: String) -> [String] {
        var values: [String] = []
        for field in all where HTTPFields.isSame(field.name, name) { values.append(field.value) }
        return values
    }

    /// The value of a field; `nil` if it is missing, or there several times.
    package subscript(name: String) -> String? {
        var value: String?
        for field in all where HTTPFields.isSame(field.name, name) {
            if value != nil { return nil }
            value = field.value
        }
        return value
    }

    /// The elements of a field that is a list, without spaces around them, whether they come in one
    /// field or in several (RFC 9110, 5.3). Empty elements are left out.
    package func list(of name: String) -> [String] {
        values(of: name).flatMap { HTTPFields.parts(of: $0, between: ",") }
            .map(HTTPFields.trimmed).filter { !$0.isEmpty }
    }

    /// Whether a list has an element, which is compared without regard to case.
    package func list(of name: String, has element: String) -> Bool {
        list(of: name).contains { HTTPFields.isSame($0, element) }
    }

    /// The parts of a value between separators, without those that are empty. It compares bytes,
    /// since finding the characters of a long value takes much longer.
    ///
    /// - Parameter separator: an ASCII character.
    package static func parts(
        of value: some StringProtocol, between separator: Unicode.Scalar
    ) -> [Substring] {
        let byte = UInt8(truncatingIfNeeded: separator.value)
        return Substring(value).utf8.split(separator: byte).map { Substring($0) }
    }

    /// A text without the spaces around it. It compares bytes, as ``parts(of:between:)`` does.
    static func trimmed(_ text: Substring) -> String {
        func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
        var bytes = text.utf8.drop(while: isSpace)
        while let last = bytes.last, isSpace(last) { bytes.removeLast() }
        return String(Substring(bytes))
    }

    /// Whether two texts have the same bytes. Texts of a client are compared in this way: `==` puts
    /// combining marks in order, and thousands of them take it long.
    package static func isEqual(_ left: String, _ right: String) -> Bool {
        var (left, right) = (left, right)
        return left.withUTF8 { left in
            right.withUTF8 { right in
                UnsafeRawBufferPointer(left).hasSameBytes(as: UnsafeRawBufferPointer(right))
            }
        }
    }

    /// Whether the bytes of a text begin with those of another one.
    package static func isPrefix(_ prefix: String, of text: some StringProtocol) -> Bool {
        text.utf8.starts(with: prefix.utf8)
    }

    /// Whether two texts are the same but for the case of ASCII letters.
    package static func isSame(_ left: String, _ right: String) -> Bool {
        guard left.utf8.count == right.utf8.count else { return false }
        var (left, right) = (left, right)
        return left.withUTF8 { left in
            right.withUTF8 { right in
                left.indices.allSatisfy { lowercased(left[$0]) == lowercased(right[$0]) }
            }
        }
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }
}
