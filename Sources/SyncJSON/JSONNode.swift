import SyncBytes
import SyncModel

/// A parsed value, with its place in the text.
///
/// It points into the text, and into memory of the parser, so it must not leave
/// ``JSONNode/parse(_:at:counting:_:)``.
struct JSONNode: BitwiseCopyable {
    private let parsed: UnsafeMutablePointer<ParsedText>
    private let index: Int

    /// 2^53: up to it all integers are exact as doubles, in every JSON parser.
    private static let largestInteger: UInt64 = 1 << 53

    fileprivate init(_ parsed: UnsafeMutablePointer<ParsedText>, at index: Int) {
        self.parsed = parsed
        self.index = index
    }

    private var value: JSONValue { parsed.pointee.values[index] }
    private var bytes: UnsafeRawBufferPointer { value.bytes(in: parsed.pointee.bytes) }

    /// Its place, which is searched for: only errors need it.
    var path: JSONPath { parsed.pointee.path(to: index) }

    /// Parses an object or a list whose place in a larger text is `path`.
    static func parse<Result>(
        _ text: UnsafeRawBufferPointer, at path: JSONPath = .root,
        _ body: (JSONNode) throws(JSONError) -> Result
    ) throws(JSONError) -> Result {
        var made = 0
        return try parse(text, at: path, counting: &made, body)
    }

    /// Parses it, and counts what is made of it: see ``ParsedText/made``.
    static func parse<Result>(
        _ text: UnsafeRawBufferPointer, at path: JSONPath = .root, counting made: inout Int,
        _ body: (JSONNode) throws(JSONError) -> Result
    ) throws(JSONError) -> Result {
        let values: [JSONValue]
        do throws(JSONMistake) {
            values = try JSONScanner.values(of: text, counting: &made)
        } catch {
            throw path.error(error.sentence(in: text))
        }
        return try values.withUnsafeBufferPointer { values throws(JSONError) in
            var parsed = ParsedText(bytes: text, values: values, path: path)
            defer { made += parsed.made }
            return try withUnsafeMutablePointer(to: &parsed) { parsed throws(JSONError) in
                try body(JSONNode(parsed, at: 0))
            }
        }
    }

    func error(_ message: String) -> JSONError { path.error(message) }

    // MARK: Containers

    /// The members of an object, in their order.
    func members() throws(JSONError) -> JSONMembers {
        guard value.kind == .object else { throw error("must be an object") }
        return JSONMembers(of: parsed, from: index + 1, to: Int(value.end))
    }

    /// The only member of an object, whose key says what the object is.
    ///
    /// - Parameter role: what the key says, for the error: the known ones follow it.
    func onlyMember<Key: JSONKeys>(
        _: Key.Type, _ role: String
    ) throws(JSONError) -> (key: Key, node: JSONNode) {
        let (key, node, _) = try onlyMember(Key.self, role, beside: nil)
        return (key, node)
    }

    /// The same, where a member with another name may stand beside it.
    func onlyMember<Key: JSONKeys>(
        _: Key.Type, _ role: String, beside name: JSONName?
    ) throws(JSONError) -> (key: Key, node: JSONNode, other: JSONNode?) {
        var only: JSONMember?
        var other: JSONNode?
        for member in try members() {
            if let name, member.isNamed(name) {
                other = member.node
            } else if only == nil {
                only = member
            } else {
                throw notOneKey(Key.self, role)
            }
        }
        guard let only else { throw notOneKey(Key.self, role) }
        return (try only.key(Key.self), only.node, other)
    }

    private func notOneKey<Key: JSONKeys>(_: Key.Type, _ role: String) -> JSONError {
        error("must have exactly one key, \(role) \(alternatives(Key.names))")
    }

    /// Joins names for an error: `a, b or c`.
    fileprivate func alternatives(_ names: [JSONName]) -> String {
        countMade(names.count)
        var text = ""
        for (index, name) in names.enumerated() {
            if index > 0 { text += index < names.count - 1 ? ", " : " or " }
            text += name.text
        }
        return text
    }

    /// Reads each element of a list.
    func elements<Element>(
        _ read: (JSONNode) throws(JSONError) -> Element
    ) throws(JSONError) -> [Element] {
        let list = value
        guard list.kind == .list else { throw error("must be a list") }
        var elements: [Element] = []
        elements.reserveCapacity(Int(list.count))
        var element = JSONNode(parsed, at: index + 1)
        while element.index < list.end {
            countMade()
            elements.append(try read(element))
            element = JSONNode(parsed, at: Int(element.value.end))
        }
        return elements
    }

    /// The value of the member `key`, which must not be missing.
    func required<Wrapped>(_ wrapped: Wrapped?, _ key: JSONName) throws(JSONError) -> Wrapped {
        guard let wrapped else { throw JSONPath.key(key.text, of: path).error("is missing") }
        return wrapped
    }

    // MARK: Plain values

    var isNull: Bool { value.kind == .null }

    var isText: Bool { value.kind == .text || value.kind == .escapedText }

    var isEmptyText: Bool { value.kind == .text && value.count == 0 }

    /// The key of a member with this value.
    fileprivate var key: ForeignText { parsed.pointee.text(of: parsed.pointee.values[index - 1]) }

    /// Does something with the key as a name.
    fileprivate func withName<Result>(_ body: (JSONName) -> Result) -> Result {
        let key = parsed.pointee.values[index - 1]
        if key.kind == .text { return body(JSONName(key.bytes(in: parsed.pointee.bytes))) }
        return JSONEscapes.bytes(of: key, in: parsed.pointee.bytes).withUnsafeBytes {
            body(JSONName($0))
        }
    }

    /// Counts what is made of the text, see ``ParsedText/made``.
    func countMade(_ count: Int = 1) { parsed.pointee.made += count }

    /// A text.
    ///
    /// - Parameter limit: the most bytes of UTF-8 that it may have; without one, the bound of the
    ///   whole text that was parsed.
    func text(atMost limit: Int = .max) throws(JSONError) -> ForeignText {
        guard try withText({ $0.count <= limit }) else {
            throw error("must have at most \(limit) bytes")
        }
        return parsed.pointee.text(of: value)
    }

    /// Lends the bytes of a text.
    func withText<Result>(
        _ body: (UnsafeRawBufferPointer) -> Result
    ) throws(JSONError) -> Result {
        switch value.kind {
        case .text: return body(bytes)
        case .escapedText:
            return JSONEscapes.bytes(of: value, in: parsed.pointee.bytes).withUnsafeBytes(body)
        default: throw error("must be a text")
        }
    }

    /// The choice that a text names; `nil` if there is none of that name.
    func known<Kind: Choice>(_: Kind.Type = Kind.self) throws(JSONError) -> Kind? {
        try withText { Kind(named: $0) }
    }

    /// The name of a room; `nil` if the text can't be one.
    func roomName() throws(JSONError) -> RoomName? { try withText { RoomName(bytes: $0) } }

    func bool() throws(JSONError) -> Bool {
        switch value.kind {
        case .yes: return true
        case .no: return false
        default: throw error("must be true or false")
        }
    }

    func number() throws(JSONError) -> Double {
        switch value.kind {
        case .integer: return Double(try exactInteger())
        case .real:
            // To round it takes long.
            countMade()
            guard let number = Double(String(decoding: bytes, as: UTF8.self)), number.isFinite
            else { throw error("is too large for a number") }
            return number
        default: throw error("must be a number")
        }
    }

    private func exactInteger() throws(JSONError) -> Int64 {
        let isNegative = bytes.first == UInt8(ascii: "-")
        var magnitude: UInt64 = 0
        for digit in bytes.dropFirst(isNegative ? 1 : 0) {
            magnitude = magnitude * 10 + UInt64(digit - UInt8(ascii: "0"))
            guard magnitude <= JSONNode.largestInteger else {
                throw error("is not exact: integers must be within ±\(JSONNode.largestInteger)")
            }
        }
        return isNegative ? -Int64(magnitude) : Int64(magnitude)
    }

    /// A whole number from `least` to 2^53 − 1, the range that frames have; `1.0` is allowed.
    func wholeNumber(atLeast least: UInt64 = 0) throws(JSONError) -> UInt64 {
        let isNumber = value.kind == .integer || value.kind == .real
        guard isNumber, let whole = UInt64(exactly: try number()), whole >= least,
            whole < JSONNode.largestInteger
        else {
            throw error(
                "must be a whole number from \(least) to \(JSONNode.largestInteger - 1)")
        }
        return whole
    }

    /// A whole number within ±2^53.
    func integer() throws(JSONError) -> Int {
        guard let integer = Int(exactly: try number()),
            integer.magnitude <= JSONNode.largestInteger
        else {
            throw error("must be a whole number within ±\(JSONNode.largestInteger)")
        }
        return integer
    }

    /// An index or a count.
    func count() throws(JSONError) -> Int { Int(try wholeNumber()) }

    func identifier() throws(JSONError) -> Identifier {
        let identifier =
            switch value.kind {
            case .text: try? Identifier(bytes: bytes)
            case .escapedText:
                parsed.pointee.text(of: value).withBytes { try? Identifier(bytes: $0) }
            default: nil as Identifier?
            }
        guard let identifier else {
            throw error(
                "must be a name: a text of 1 to 128 bytes of UTF-8 without control characters")
        }
        return identifier
    }

    /// A value of any kind, within `depth` lists and objects.
    func anyValue(depth: Int = 0) throws(JSONError) -> Value {
        countMade()
        switch value.kind {
        case .null: return .null
        case .yes: return .bool(true)
        case .no: return .bool(false)
        case .integer, .real: return .number(try number())
        case .text, .escapedText: return .text(parsed.pointee.text(of: value).shown)
        case .list, .object: break
        }
        guard depth < Value.maximumDepth else {
            throw error("is too deep: lists and objects may be nested \(Value.maximumDepth) deep")
        }
        guard value.kind == .list else { return .object(try fields(depth: depth + 1)) }
        return .list(
            try elements { element throws(JSONError) in try element.anyValue(depth: depth + 1) })
    }

    /// Names and their values, within `depth` lists and objects.
    func fields(depth: Int = 0) throws(JSONError) -> [Field] {
        var fields: [Field] = []
        for member in try members() {
            let name = try member.identifier()
            fields.append(Field(name: name, value: try member.node.anyValue(depth: depth)))
        }
        return fields
    }

    /// The value as it is.
    func tree(depth: Int) throws(JSONError) -> JSONTree {
        guard depth < Value.maximumDepth else { throw error("is too deep") }
        switch value.kind {
        case .null: return .null
        case .yes, .no: return .bool(try bool())
        case .text, .escapedText: return .text(parsed.pointee.text(of: value).shown)
        case .integer: return .integer(try exactInteger())
        case .real: return .number(try number())
        case .list:
            return .list(
                try elements { element throws(JSONError) in try element.tree(depth: depth + 1) })
        case .object:
            var all: [JSONTree.Member] = []
            for member in try members() {
                all.append(.init(member.key.shown, try member.node.tree(depth: depth + 1)))
            }
            return .object(all)
        }
    }
}

/// A member of an object.
struct JSONMember {
    let node: JSONNode

    var key: ForeignText { node.key }

    func isNamed(_ name: JSONName) -> Bool { node.withName { $0 == name } }

    static func ~= (name: JSONName, member: JSONMember) -> Bool { member.isNamed(name) }

    /// The key as an identifier.
    func identifier() throws(JSONError) -> Identifier {
        node.countMade()
        guard let identifier = key.withBytes({ try? Identifier(bytes: $0) }) else {
            throw node.error(
                "is under a key that is no name: 1 to 128 bytes without control characters")
        }
        return identifier
    }

    /// The key as a case of an enumeration, if it is one.
    func known<Key: JSONKeys>(_: Key.Type) -> Key? { node.withName { Key(rawValue: $0) } }

    /// The key as a case of an enumeration; others are an error.
    func key<Key: JSONKeys>(_: Key.Type) throws(JSONError) -> Key {
        guard let known = known(Key.self) else { throw unknownKey(among: Key.names) }
        return known
    }

    /// The error for an unknown key. It lists the known ones.
    func unknownKey(among known: [JSONName] = []) -> JSONError {
        node.error(
            known.isEmpty ? "unknown key" : "unknown key; it can be \(node.alternatives(known))")
    }
}

/// The members of an object, one after the other.
struct JSONMembers: Sequence, IteratorProtocol {
    private let parsed: UnsafeMutablePointer<ParsedText>
    /// The index of the next key.
    private var key: Int
    private let end: Int

    fileprivate init(of parsed: UnsafeMutablePointer<ParsedText>, from start: Int, to end: Int) {
        self.parsed = parsed
        key = start
        self.end = end
    }

    mutating func next() -> JSONMember? {
        guard key < end else { return nil }
        let node = JSONNode(parsed, at: key + 1)
        key = Int(parsed.pointee.values[key + 1].end)
        return JSONMember(node: node)
    }
}
