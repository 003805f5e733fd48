import SyncBytes

/// Checks that a text is JSON (RFC 8259), and lists its values.
///
/// It refuses what programs read in different ways: an object that has a key twice, and half a
/// surrogate pair. A text is an object or a list.
///
/// # Performance
/// O(n) for n bytes: a few nanoseconds a byte, and some tens where an object has many short keys,
/// or keys with escapes. A value takes 16 bytes of memory, and such a key some 70 more until its
/// object ends.
struct JSONScanner {
    private let text: UnsafeRawBufferPointer
    private var position = 0
    private var values: [JSONValue] = []
    /// The container that is read. As long as it is, its `end` is the index of the one around it.
    private var container = 0
    private var depth = 0
    /// How many keys took memory of their own, to find out whether one comes twice.
    private var hashedKeys = 0

    /// How many containers may be within each other.
    static let maximumDepth = 2048
    /// Most values have more bytes, with the marks between them.
    private static let bytesOfValue = 5

    private init(_ text: UnsafeRawBufferPointer) {
        self.text = text
        values.reserveCapacity(text.count / JSONScanner.bytesOfValue + 2)
    }

    /// The values of a text. The first one is the whole text.
    ///
    /// - Parameter made: is increased by the number of keys that took memory of their own.
    static func values(
        of text: UnsafeRawBufferPointer, counting made: inout Int
    ) throws(JSONMistake) -> [JSONValue] {
        guard text.count < UInt32.max else { throw JSONMistake("it is too long", at: 0) }
        var scanner = JSONScanner(text)
        defer { made += scanner.hashedKeys }
        try scanner.scan()
        return scanner.values
    }

    private func mistake(_ message: String) -> JSONMistake { JSONMistake(message, at: position) }

    private mutating func scan() throws(JSONMistake) {
        skipSpaces()
        guard let first = byte, first == UInt8(ascii: "{") || first == UInt8(ascii: "[") else {
            throw mistake("an object or a list must come here")
        }
        repeat {
            var isComplete = try readValue()
            while isComplete, depth > 0 { isComplete = try readSeparator() }
        } while depth > 0
        skipSpaces()
        guard position == text.count else { throw mistake("nothing may come behind it") }
    }

    // MARK: Structure

    /// The next byte; `nil` at the end.
    private var byte: UInt8? { position < text.count ? text[position] : nil }

    private mutating func skipSpaces() {
        while position < text.count {
            switch text[position] {
            case 0x20, 0x0A, 0x0D, 0x09: position += 1
            default: return
            }
        }
    }

    /// Reads a value, or the beginning of a container.
    ///
    /// - Returns: whether it is complete.
    private mutating func readValue() throws(JSONMistake) -> Bool {
        skipSpaces()
        if depth > 0 { values[container].count += 1 }
        guard let byte else { throw mistake("it ends too early") }
        switch byte {
        case UInt8(ascii: "\""): try readText()
        case UInt8(ascii: "{"): return try open(.object)
        case UInt8(ascii: "["): return try open(.list)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): try readNumber()
        case UInt8(ascii: "t"): try read("true", .yes)
        case UInt8(ascii: "f"): try read("false", .no)
        case UInt8(ascii: "n"): try read("null", .null)
        default: throw mistake("a value must come here")
        }
        return true
    }

    private mutating func open(_ kind: JSONValue.Kind) throws(JSONMistake) -> Bool {
        guard depth < JSONScanner.maximumDepth else {
            throw mistake("it has more than \(JSONScanner.maximumDepth) levels")
        }
        let outer = container
        container = values.count
        depth += 1
        values.append(
            JSONValue(kind: kind, start: UInt32(position), count: 0, end: UInt32(outer)))
        position += 1
        skipSpaces()
        if byte == closingBracket {
            try close()
            return true
        }
        if kind == .object { try readKey() }
        return false
    }

    private var closingBracket: UInt8 {
        values[container].kind == .object ? UInt8(ascii: "}") : UInt8(ascii: "]")
    }

    private mutating func close() throws(JSONMistake) {
        if values[container].kind == .object { try checkKeys(of: container) }
        position += 1
        let outer = Int(values[container].end)
        values[container].end = UInt32(values.count)
        container = outer
        depth -= 1
    }

    /// Reads what comes behind a value in a container.
    ///
    /// - Returns: whether that ends the container.
    private mutating func readSeparator() throws(JSONMistake) -> Bool {
        skipSpaces()
        let isObject = values[container].kind == .object
        guard let byte else { throw mistake("it ends too early") }
        switch byte {
        case UInt8(ascii: ","):
            position += 1
            if isObject {
                skipSpaces()
                try readKey()
            }
            return false
        case closingBracket:
            try close()
            return true
        default:
            let name = isObject ? "object" : "list"
            throw mistake("a comma or the end of the \(name) must come here")
        }
    }

    private mutating func readKey() throws(JSONMistake) {
        guard let byte else { throw mistake("it ends too early") }
        guard byte == UInt8(ascii: "\"") else { throw mistake("a key in quotes must come here") }
        try readText()
        skipSpaces()
        guard self.byte == UInt8(ascii: ":") else { throw mistake("a colon must come here") }
        position += 1
    }

    // MARK: Keys

    /// Pairs of so few keys are compared.
    private static let fewKeys = 8

    /// Checks that an object has no key twice.
    private mutating func checkKeys(of object: Int) throws(JSONMistake) {
        let count = values[object].count
        if count < 2 { return }
        if count > JSONScanner.fewKeys { return try checkByHash(object) }
        var key = object + 1
        while key < values.count {
            // To decode it for each pair would take long.
            if values[key].kind == .escapedText { return try checkByHash(object) }
            var former = object + 1
            while former < key {
                if isSame(values[former], values[key]) { throw twice(values[key]) }
                former = end(ofMember: former)
            }
            key = end(ofMember: key)
        }
    }

    private mutating func checkByHash(_ object: Int) throws(JSONMistake) {
        hashedKeys += Int(values[object].count)
        var keys = Set<[UInt8]>(minimumCapacity: Int(values[object].count))
        var key = object + 1
        while key < values.count {
            guard keys.insert(JSONEscapes.bytes(of: values[key], in: text)).inserted else {
                throw twice(values[key])
            }
            key = end(ofMember: key)
        }
    }

    private func end(ofMember key: Int) -> Int { Int(values[key + 1].end) }

    /// Whether two keys without escapes are the same.
    private func isSame(_ left: JSONValue, _ right: JSONValue) -> Bool {
        left.count == right.count
            && left.bytes(in: text).hasSameBytes(as: right.bytes(in: text))
    }

    private func twice(_ key: JSONValue) -> JSONMistake {
        JSONMistake("this key is a duplicate", at: Int(key.start))
    }

    // MARK: Plain values

    private mutating func append(_ kind: JSONValue.Kind, from start: Int, to end: Int) {
        values.append(
            JSONValue(
                kind: kind, start: UInt32(start), count: UInt32(end - start),
                end: UInt32(values.count + 1)))
    }

    /// Reads a text, from quote to quote.
    private mutating func readText() throws(JSONMistake) {
        let start = position + 1
        var isEscaped = false
        var allBytes: UInt8 = 0
        position = start
        while let byte, byte != UInt8(ascii: "\"") {
            if byte == UInt8(ascii: "\\") {
                isEscaped = true
                guard let count = JSONEscapes.byteCount(in: text, at: position) else {
                    throw mistake("that is no escape")
                }
                position += count
                continue
            }
            guard byte >= 0x20 else { throw mistake("a control character must be escaped") }
            allBytes |= byte
            position += 1
        }
        guard position < text.count else { throw mistake("it ends too early") }
        if allBytes >= 0x80,
            !UnsafeRawBufferPointer(rebasing: text[start..<position]).isUTF8
        {
            throw JSONMistake("a text is not UTF-8", at: start)
        }
        append(isEscaped ? .escapedText : .text, from: start, to: position)
        position += 1
    }

    private mutating func read(
        _ name: StaticString, _ kind: JSONValue.Kind
    ) throws(JSONMistake) {
        let name = UnsafeRawBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
        let end = position + name.count
        guard end <= text.count,
            UnsafeRawBufferPointer(rebasing: text[position..<end]).hasSameBytes(as: name)
        else { throw mistake("a value must come here") }
        append(kind, from: position, to: end)
        position = end
    }

    private mutating func readNumber() throws(JSONMistake) {
        let start = position
        var kind = JSONValue.Kind.integer
        if byte == UInt8(ascii: "-") { position += 1 }
        if byte == UInt8(ascii: "0") { position += 1 } else { try readDigits() }
        if byte == UInt8(ascii: ".") {
            kind = .real
            position += 1
            try readDigits()
        }
        if let byte, byte | 0x20 == UInt8(ascii: "e") {
            kind = .real
            position += 1
            if self.byte == UInt8(ascii: "+") || self.byte == UInt8(ascii: "-") { position += 1 }
            try readDigits()
        }
        append(kind, from: start, to: position)
    }

    /// Reads one digit or more.
    private mutating func readDigits() throws(JSONMistake) {
        let start = position
        while let byte, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { position += 1 }
        guard position > start else { throw mistake("a digit must come here") }
    }
}
