import SyncBytes

/// JSON as a tree, for answers that are small and have no model of their own. Keys keep their
/// order.
package indirect enum JSONTree: Sendable, Equatable, ExpressibleByStringLiteral,
    ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral,
    ExpressibleByDictionaryLiteral
{
    case text(String)
    case integer(Int64)
    case count(UInt64)
    case number(Double)
    case bool(Bool)
    case null
    case list([JSONTree])
    case object([Member])

    package struct Member: Sendable, Equatable {
        package var key: String
        package var value: JSONTree

        package init(_ key: String, _ value: JSONTree) {
            self.key = key
            self.value = value
        }
    }

    package init(stringLiteral text: String) { self = .text(text) }
    package init(integerLiteral number: Int64) { self = .integer(number) }
    package init(booleanLiteral bool: Bool) { self = .bool(bool) }
    package init(arrayLiteral elements: JSONTree...) { self = .list(elements) }
    package init(dictionaryLiteral members: (String, JSONTree)...) {
        self = .object(members.map { Member($0.0, $0.1) })
    }
}

extension JSONTree {
    /// The JSON, without spaces.
    package var json: String {
        var writer = JSONWriter(capacity: 256)
        writer.write(self)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// The text, if it is one.
    package var string: String? {
        if case .text(let text) = self { text } else { nil }
    }

    /// The elements of a list; of anything else none.
    package var elements: [JSONTree] {
        if case .list(let elements) = self { elements } else { [] }
    }

    /// The value of a member of an object.
    package subscript(name: String) -> JSONTree? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.key.hasSameBytes(as: name) }?.value
    }
}

extension JSONWriter {
    package mutating func write(_ tree: JSONTree) {
        switch tree {
        case .text(let text): write(text: text)
        case .integer(let number): write(integer: number)
        case .count(let number): write(integer: number)
        case .number(let number): write(number: number)
        case .bool(let bool): write(bool: bool)
        case .null: writeNull()
        case .list(let elements):
            beginList()
            for element in elements { write(element) }
            endList()
        case .object(let members):
            beginObject()
            for member in members {
                key(text: member.key)
                write(member.value)
            }
            endObject()
        }
    }
}
