import Foundation

/// A JSON value, read without any code of the project.
enum JSON: Hashable, Sendable {
    case null
    case bool(Bool)
    case number(Double)
    case text(String)
    case list([JSON])
    case object([String: JSON])

    init(_ text: String) throws {
        do {
            self = try JSONDecoder().decode(JSON.self, from: Data(text.utf8))
        } catch {
            throw TestFailure("is not JSON: \(text.prefix(400))")
        }
    }

    subscript(key: String) -> JSON? {
        if case .object(let members) = self { members[key] } else { nil }
    }

    var keys: [String] {
        if case .object(let members) = self { members.keys.sorted() } else { [] }
    }

    var list: [JSON]? {
        if case .list(let values) = self { values } else { nil }
    }

    var text: String? {
        if case .text(let text) = self { text } else { nil }
    }

    var integer: Int? {
        if case .number(let number) = self { Int(exactly: number) } else { nil }
    }

    /// The list under a key, which is omitted when it is empty.
    func list(_ key: String) throws -> [JSON] {
        guard let value = self[key] else { return [] }
        guard let list = value.list else { throw TestFailure("\(key) is no list in \(self)") }
        return list
    }

    /// The whole number under a key, which is omitted when it is 0.
    func index(_ key: String) throws -> Int {
        guard let value = self[key] else { return 0 }
        guard let number = value.integer, number >= 0 else {
            throw TestFailure("\(key) is no index in \(self)")
        }
        return number
    }

    /// The value without empty lists and objects under the given keys.
    func without(empty keys: [String]) -> JSON {
        guard case .object(var members) = self else { return self }
        for key in keys where members[key] == .object([:]) || members[key] == .list([]) {
            members[key] = nil
        }
        return .object(members)
    }

    /// The value without a member.
    func without(_ key: String) -> JSON {
        guard case .object(var members) = self else { return self }
        members[key] = nil
        return .object(members)
    }
}

extension JSON: Codable {
    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let flag = try? container.decode(Bool.self) {
            self = .bool(flag)
        } else if let number = try? container.decode(Double.self) {
            self = .number(number)
        } else if let text = try? container.decode(String.self) {
            self = .text(text)
        } else if let values = try? container.decode([JSON].self) {
            self = .list(values)
        } else {
            self = .object(try container.decode([String: JSON].self))
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let flag): try container.encode(flag)
        case .number(let number): try container.encode(number)
        case .text(let text): try container.encode(text)
        case .list(let values): try container.encode(values)
        case .object(let members): try container.encode(members)
        }
    }

    /// The value as one line, with sorted keys.
    var line: String {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            return String(decoding: try encoder.encode(self), as: UTF8.self)
        }
    }
}

extension JSON: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByArrayLiteral,
    ExpressibleByDictionaryLiteral, ExpressibleByBooleanLiteral
{
    init(stringLiteral value: String) { self = .text(value) }
    init(integerLiteral value: Int) { self = .number(Double(value)) }
    init(booleanLiteral value: Bool) { self = .bool(value) }
    init(arrayLiteral elements: JSON...) { self = .list(elements) }
    init(dictionaryLiteral elements: (String, JSON)...) {
        self = .object(Dictionary(elements) { $1 })
    }
}
