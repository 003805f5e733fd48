// Values as a program writes them: `"Milk"`, `3`, `2.5`, `true`, `[1, 2]`, `["unit": "g"]`. JSON's `null`
// is `.null`, as a field that is `nil` is not there.

extension Value: ExpressibleByStringLiteral, ExpressibleByStringInterpolation {
    /// Text.
    public init(stringLiteral text: String) { self = .text(text) }
}

extension Value: ExpressibleByIntegerLiteral {
    /// A number; beyond ±2^53 the nearest one that there is.
    public init(integerLiteral number: Int64) { self = .number(Double(number)) }
}

extension Value: ExpressibleByFloatLiteral {
    /// A number.
    public init(floatLiteral number: Double) { self = .number(number) }
}

extension Value: ExpressibleByBooleanLiteral {
    /// `true` or `false`.
    public init(booleanLiteral flag: Bool) { self = .bool(flag) }
}

extension Value: ExpressibleByArrayLiteral {
    /// A list.
    public init(arrayLiteral values: Value...) { self = .list(values) }
}

extension Value: ExpressibleByDictionaryLiteral {
    /// An object. A name that stands twice makes it one that is refused wherever it is put.
    public init(dictionaryLiteral members: (Identifier, Value)...) {
        self = .object(members.map { Field(name: $0, value: $1) }.sorted { $0.name < $1.name })
    }
}

extension Value {
    /// An object of members that have each name once.
    public static func object(_ members: [Identifier: Value]) -> Value {
        .object(Field.list(of: members))
    }

    /// The text, if it is text.
    public var asText: String? { if case .text(let text) = self { text } else { nil } }
    /// The number, if it is one.
    public var asNumber: Double? { if case .number(let number) = self { number } else { nil } }
    /// The flag, if it is `true` or `false`.
    public var asBool: Bool? { if case .bool(let flag) = self { flag } else { nil } }
    /// The values, if it is a list.
    public var asList: [Value]? { if case .list(let values) = self { values } else { nil } }
    /// A member of an object; `nil` if it has none of that name, or is none. O(log n) for n members.
    public subscript(name: Identifier) -> Value? {
        if case .object(let fields) = self { fields[name] } else { nil }
    }
}

extension Value: CustomStringConvertible {
    /// For people: text as it is, all else as JSON has it, but for what JSON would escape.
    public var description: String {
        switch self {
        case .text(let text): text
        default: written
        }
    }

    private var written: String {
        switch self {
        case .null: "null"
        case .bool(let flag): flag ? "true" : "false"
        case .number(let number):
            Value.exactIntegers.contains(number) && number == number.rounded()
                ? "\(Int64(number))" : "\(number)"
        case .text(let text): "\"\(text)\""
        case .list(let values): "[" + values.map(\.written).joined(separator: ", ") + "]"
        case .object(let fields):
            "{" + fields.map { "\"\($0.name)\": \($0.value.written)" }.joined(separator: ", ") + "}"
        }
    }
}

extension Field {
    /// Fields of a dictionary, sorted by name.
    static func list(of values: [Identifier: Value]) -> [Field] {
        values.map { Field(name: $0.key, value: $0.value) }.sorted { $0.name < $1.name }
    }
}

extension [Field] {
    /// The value of the field of that name; the fields are sorted.
    subscript(name: Identifier) -> Value? {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if self[middle].name < name { low = middle + 1 } else { high = middle }
        }
        return low < count && self[low].name == name ? self[low].value : nil
    }
}
