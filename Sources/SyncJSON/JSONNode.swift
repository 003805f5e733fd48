import CJansson
import SyncModel

/// A parsed value, with its place in the text.
///
/// It points into memory of the parser, so it must not leave ``JSONNode/parse(_:at:_:)``.
struct JSONNode: BitwiseCopyable {
    private let value: UnsafeMutablePointer<json_t>
    fileprivate let place: JSONPlace

    /// 2^53: up to it all integers are exact as doubles, in every JSON parser.
    private static let largestInteger: UInt64 = 1 << 53

    fileprivate init(_ value: UnsafeMutablePointer<json_t>, at place: JSONPlace) {
        self.value = value
        self.place = place
    }

    /// Its place, which is searched for: only errors need it.
    var path: JSONPath { place.path }

    /// Parses an object or a list whose place in a larger text is `path`.
    static func parse<Result>(
        _ text: UnsafeRawBufferPointer, at path: JSONPath = .root,
        _ body: (JSONNode) throws(JSONError) -> Result
    ) throws(JSONError) -> Result {
        guard let base = text.baseAddress else { throw path.error("is empty; it must be JSON") }
        var problem = json_error_t()
        let flags = Int(JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL)
        guard
            let value = json_loadb(
                base.assumingMemoryBound(to: CChar.self), text.count, flags, &problem)
        else { throw path.error(sentence(for: problem)) }
        defer { json_decref(value) }
        return try withUnsafePointer(to: ParsedText(root: value, path: path)) {
            text throws(JSONError) in try body(JSONNode(value, at: JSONPlace(in: text)))
        }
    }

    private static func sentence(for problem: json_error_t) -> String {
        let reason = withUnsafeBytes(of: problem.text) { text in
            String(decoding: text.prefix { $0 != 0 }, as: UTF8.self)
        }
        // Most texts are single lines, and the program that prints the error knows their number.
        let line = problem.line > 1 ? "line \(problem.line) of it, " : ""
        return "is not JSON: \(reason) (\(line)column \(problem.column))"
    }

    func error(_ message: String) -> JSONError { path.error(message) }

    // MARK: Containers

    /// The members of an object, in their order.
    func members() throws(JSONError) -> JSONMembers {
        guard value.pointee.type == JSON_OBJECT else { throw error("must be an object") }
        return JSONMembers(object: value, of: place)
    }

    /// The only member of an object, whose key says what the object is.
    func onlyMember(of kinds: @autoclosure () -> String) throws(JSONError) -> JSONMember {
        var members = try members()
        guard let member = members.next(), members.next() == nil else {
            throw error("must have exactly one key, \(kinds())")
        }
        return member
    }

    /// Joins names for a sentence: `a, b or c`.
    static func alternatives(_ names: [String]) -> String {
        let others = names.dropLast().joined(separator: ", ")
        return (others.isEmpty ? "" : "\(others) or ") + (names.last ?? "")
    }

    /// Reads each element of a list.
    func elements<Element>(
        _ read: (JSONNode) throws(JSONError) -> Element
    ) throws(JSONError) -> [Element] {
        guard value.pointee.type == JSON_ARRAY else { throw error("must be a list") }
        var elements: [Element] = []
        let count = json_array_size(value)
        elements.reserveCapacity(count)
        for index in 0..<count {
            guard let element = json_array_get(value, index) else { break }
            elements.append(try read(JSONNode(element, at: place.element(index, of: value))))
        }
        return elements
    }

    /// The value of the member `key`, which must not be missing.
    func required<Wrapped>(_ wrapped: Wrapped?, _ key: String) throws(JSONError) -> Wrapped {
        guard let wrapped else { throw JSONPath.key(key, of: path).error("is missing") }
        return wrapped
    }

    // MARK: Plain values

    var isNull: Bool { value.pointee.type == JSON_NULL }

    var isEmptyText: Bool {
        value.pointee.type == JSON_STRING && json_string_length(value) == 0
    }

    /// The text, if the value is one.
    private var textIfAny: String? {
        guard let bytes = json_string_value(value) else { return nil }
        let count = json_string_length(value)
        return String(
            decoding: UnsafeRawBufferPointer(start: bytes, count: count), as: UTF8.self)
    }

    func text() throws(JSONError) -> String {
        guard let text = textIfAny else { throw error("must be a text") }
        return text
    }

    func bool() throws(JSONError) -> Bool {
        switch value.pointee.type {
        case JSON_TRUE: return true
        case JSON_FALSE: return false
        default: throw error("must be true or false")
        }
    }

    func number() throws(JSONError) -> Double {
        switch value.pointee.type {
        case JSON_INTEGER:
            let integer = json_integer_value(value)
            guard integer.magnitude <= JSONNode.largestInteger else {
                throw error("is not exact: integers must be within ±\(JSONNode.largestInteger)")
            }
            return Double(integer)
        case JSON_REAL: return json_real_value(value)
        default: throw error("must be a number")
        }
    }

    /// A whole number from `least` to 2^53 − 1, the range that frames have; `1.0` is allowed.
    func wholeNumber(atLeast least: UInt64 = 0) throws(JSONError) -> UInt64 {
        let isNumber = value.pointee.type == JSON_INTEGER || value.pointee.type == JSON_REAL
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
        guard let text = textIfAny, let identifier = try? Identifier(text) else {
            throw error(
                "must be a name: a text of 1 to 128 bytes of UTF-8 without control characters")
        }
        return identifier
    }

    /// A value of any kind, within `depth` lists and objects.
    func anyValue(depth: Int = 0) throws(JSONError) -> Value {
        switch value.pointee.type {
        case JSON_NULL: return .null
        case JSON_TRUE: return .bool(true)
        case JSON_FALSE: return .bool(false)
        case JSON_INTEGER, JSON_REAL: return .number(try number())
        case JSON_STRING: return .text(try text())
        default: break
        }
        guard depth < Value.maximumDepth else {
            throw error("is too deep: lists and objects may be nested \(Value.maximumDepth) deep")
        }
        guard value.pointee.type == JSON_ARRAY else { return .object(try fields(depth: depth + 1)) }
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

    /// The value as it is; of numbers, it takes integers only.
    func tree(depth: Int) throws(JSONError) -> JSONTree {
        guard depth < Value.maximumDepth else { throw error("is too deep") }
        switch value.pointee.type {
        case JSON_NULL: return .null
        case JSON_TRUE, JSON_FALSE: return .bool(try bool())
        case JSON_STRING: return .text(try text())
        case JSON_INTEGER: return .integer(Int64(try integer()))
        case JSON_REAL: return .number(try number())
        case JSON_ARRAY:
            return .list(
                try elements { element throws(JSONError) in try element.tree(depth: depth + 1) })
        default:
            var all: [JSONTree.Member] = []
            for member in try members() {
                all.append(.init(member.key, try member.node.tree(depth: depth + 1)))
            }
            return .object(all)
        }
    }
}

extension CaseIterable where Self: RawRepresentable, RawValue == String {
    /// All raw values, in the order of the cases.
    static var names: [String] { allCases.map(\.rawValue) }
}

/// A member of an object.
struct JSONMember {
    let key: String
    let node: JSONNode

    /// The key as a name.
    func identifier() throws(JSONError) -> Identifier {
        guard let identifier = try? Identifier(key) else {
            throw node.error(
                "is under a key that is no name: 1 to 128 bytes without control characters")
        }
        return identifier
    }

    /// The key as a case of an enumeration; others are an error.
    func key<Key>(_: Key.Type) throws(JSONError) -> Key
    where Key: RawRepresentable & CaseIterable, Key.RawValue == String {
        guard let known = Key(rawValue: key) else { throw unknownKey(among: Key.names) }
        return known
    }

    /// The key as a case of an enumeration; `nil` if it is one of `others`.
    func key<Key>(_: Key.Type, or others: [String]) throws(JSONError) -> Key?
    where Key: RawRepresentable & CaseIterable, Key.RawValue == String {
        if let known = Key(rawValue: key) { return known }
        guard others.contains(key) else { throw unknownKey(among: Key.names + others) }
        return nil
    }

    /// The error for an unknown key. It lists the known ones.
    func unknownKey(among known: [String] = []) -> JSONError {
        node.error(
            known.isEmpty ? "unknown key" : "unknown key; it can be \(JSONNode.alternatives(known))"
        )
    }
}

/// The members of an object, one after the other.
struct JSONMembers: Sequence, IteratorProtocol {
    private let object: UnsafeMutablePointer<json_t>
    private let place: JSONPlace
    private var member: UnsafeMutableRawPointer?

    fileprivate init(object: UnsafeMutablePointer<json_t>, of place: JSONPlace) {
        self.object = object
        self.place = place
        member = json_object_iter(object)
    }

    mutating func next() -> JSONMember? {
        guard let here = member, let value = json_object_iter_value(here) else { return nil }
        member = json_object_iter_next(object, here)
        return JSONMember(
            key: String(keyOf: here), node: JSONNode(value, at: place.member(here, of: object)))
    }
}
