// Values as a program writes them: `"Milk"`, `3`, `2.5`, `true`, `[1, 2]`, `["unit": "g"]`. JSON's
// `null` is `.null`: a field that is `nil` does not exist.

extension Value: ExpressibleByStringLiteral, ExpressibleByStringInterpolation {
    /// Makes text of a literal, with or without interpolations.
    public init(stringLiteral text: String) { self = .text(text) }
}

extension Value: ExpressibleByIntegerLiteral {
    /// Makes a number; beyond ±2^53, the nearest double.
    public init(integerLiteral number: Int64) { self = .number(Double(number)) }
}

extension Value: ExpressibleByFloatLiteral {
    /// Makes a number.
    public init(floatLiteral number: Double) { self = .number(number) }
}

extension Value: ExpressibleByBooleanLiteral {
    /// Makes `true` or `false`.
    public init(booleanLiteral flag: Bool) { self = .bool(flag) }
}

extension Value: ExpressibleByArrayLiteral {
    /// Makes a list.
    public init(arrayLiteral values: Value...) { self = .list(values) }
}

extension Value: ExpressibleByDictionaryLiteral {
    /// Makes an object, whose members may come in any order. If a name occurs twice, making content
    /// with the object throws ``ModelError/duplicateName(_:)``.
    public init(dictionaryLiteral members: (Identifier, Value)...) {
        self = .object(members.map { Field(name: $0, value: $1) }.sorted { $0.name < $1.name })
    }
}

extension Value {
    /// Makes an object of a dictionary. O(n log n) for n members.
    public static func object(_ members: [Identifier: Value]) -> Value {
        .object(Field.list(of: members))
    }

    /// The text; `nil` if it is something else.
    public var asText: String? { if case .text(let text) = self { text } else { nil } }
    /// The number; `nil` if it is something else.
    public var asNumber: Double? { if case .number(let number) = self { number } else { nil } }
    /// Whether it is `true`; `nil` if it is something else than `true` or `false`.
    public var asBool: Bool? { if case .bool(let flag) = self { flag } else { nil } }
    /// The values of a list; `nil` if it is something else.
    public var asList: [Value]? { if case .list(let values) = self { values } else { nil } }
    /// The value of an object's member; `nil` if there is none of that name, or it is no object.
    /// O(log n) for n members.
    public subscript(name: Identifier) -> Value? {
        if case .object(let fields) = self { fields[name] } else { nil }
    }
}

extension Value: CustomStringConvertible {
    /// The value for people: text as it is, all else like JSON, but with nothing escaped. It can't
    /// be read back.
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
