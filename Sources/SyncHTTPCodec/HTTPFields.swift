package import SyncBytes

/// The header fields of an HTTP message, in order. Names are compared without regard to case.
///
/// In a received value each byte above 127 is a character of its own, as in Latin-1 and in
/// browsers.
///
/// # Performance
/// Look-ups are O(n): a message has few fields.
package struct HTTPFields: Sendable {
    package private(set) var all: [Field] = []

    package struct Field: Sendable {
        /// A token: ASCII.
        package var name: String
        package var value: ForeignText
    }

    package init() {}

    package init(_ fields: KeyValuePairs<String, String>) {
        for (name, value) in fields { add(name, value) }
    }

    /// Adds a field behind the others, which may have the same name.
    package mutating func add(_ name: String, _ value: String) {
        all.append(Field(name: name, value: ForeignText(bounded: value)))
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
    package func values(of name: String) -> [ForeignText] {
        var values: [ForeignText] = []
        for field in all where HTTPFields.isSame(field.name, name) { values.append(field.value) }
        return values
    }

    /// The value of a field; `nil` if it is missing, or there several times.
    package func value(of name: String) -> ForeignText? {
        var value: ForeignText?
        for field in all where HTTPFields.isSame(field.name, name) {
            if value != nil { return nil }
            value = field.value
        }
        return value
    }

    package func has(_ name: String) -> Bool {
        all.contains { HTTPFields.isSame($0.name, name) }
    }

    /// The elements of a field that is a list, without spaces around them, whether they come in one
    /// field or in several (RFC 9110, 5.3). Empty elements are left out.
    package func list(of name: String) -> [ForeignText] {
        values(of: name).flatMap { $0.parts(between: ",") }.map(\.trimmed).filter { !$0.isEmpty }
    }

    /// Whether a list has an element, which is compared without regard to case.
    package func list(of name: String, has element: String) -> Bool {
        list(of: name).contains { $0.isSame(ignoringCaseOf: element) }
    }

    /// Whether two texts are the same but for the case of ASCII letters.
    static func isSame(_ left: String, _ right: String) -> Bool {
        left.withBytes { left in right.withBytes { left.isSame(ignoringCaseOf: $0) } }
    }
}
