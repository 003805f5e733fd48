@testable import SyncJSON

/// A plain reader of JSON, written from the grammar of RFC 8259, one function a rule. It makes no
/// list, gives no reasons, and takes its time.
struct PlainJSON {
    private struct No: Error {}

    private let bytes: [UInt8]
    private var at = 0

    /// What a text says; `nil` if it is no JSON, or says something in two ways.
    static func read(_ bytes: [UInt8]) -> JSONTree? {
        var reader = PlainJSON(bytes: bytes)
        guard let tree = try? reader.whole() else { return nil }
        return tree
    }

    private init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    private var next: Character? { at < bytes.count ? Character(Unicode.Scalar(bytes[at])) : nil }

    private mutating func pass(_ text: String) throws {
        for character in text {
            guard next == character else { throw No() }
            at += 1
        }
    }

    private mutating func passSpaces() {
        while at < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[at]) { at += 1 }
    }

    private mutating func whole() throws -> JSONTree {
        passSpaces()
        guard next == "{" || next == "[" else { throw No() }
        let tree = try value()
        guard at == bytes.count else { throw No() }
        return tree
    }

    /// A value with the space around it.
    private mutating func value() throws -> JSONTree {
        passSpaces()
        defer { passSpaces() }
        switch next {
        case "{": return try object()
        case "[": return try list()
        case "\"": return .text(try string())
        case "t": try pass("true"); return .bool(true)
        case "f": try pass("false"); return .bool(false)
        case "n": try pass("null"); return .null
        default: return try number()
        }
    }

    private mutating func object() throws -> JSONTree {
        try pass("{")
        passSpaces()
        var members: [JSONTree.Member] = []
        while next != "}" {
            if !members.isEmpty { try pass(",") }
            passSpaces()
            let key = try string()
            passSpaces()
            try pass(":")
            // Swift takes two spellings of a glyph for the same text.
            if members.contains(where: { Array($0.key.utf8) == Array(key.utf8) }) { throw No() }
            members.append(.init(key, try value()))
        }
        try pass("}")
        return .object(members)
    }

    private mutating func list() throws -> JSONTree {
        try pass("[")
        passSpaces()
        var elements: [JSONTree] = []
        while next != "]" {
            if !elements.isEmpty { try pass(",") }
            elements.append(try value())
        }
        try pass("]")
        return .list(elements)
    }

    private mutating func string() throws -> String {
        try pass("\"")
        var units: [UInt16] = []
        var rest: [UInt8] = []
        // Bytes that are no escapes make characters together.
        func flush() throws {
            guard let text = String(validating: rest, as: UTF8.self) else { throw No() }
            units += Array(text.utf16)
            rest = []
        }
        while let character = next, character != "\"" {
            if bytes[at] < 0x20 { throw No() }
            if character != "\\" {
                rest.append(bytes[at])
                at += 1
                continue
            }
            try flush()
            at += 1
            units.append(try escape())
        }
        try flush()
        try pass("\"")
        guard let text = String(validating: units, as: UTF16.self) else { throw No() }
        return text
    }

    private mutating func escape() throws -> UInt16 {
        let names: [Character: UInt16] = [
            "\"": 0x22, "\\": 0x5C, "/": 0x2F, "b": 8, "f": 12, "n": 10, "r": 13, "t": 9,
        ]
        guard let name = next else { throw No() }
        at += 1
        if let unit = names[name] { return unit }
        guard name == "u", at + 4 <= bytes.count else { throw No() }
        let digits = String(decoding: bytes[at..<at + 4], as: UTF8.self)
        guard digits.allSatisfy(\.isHexDigit), let unit = UInt16(digits, radix: 16) else {
            throw No()
        }
        at += 4
        return unit
    }

    private mutating func number() throws -> JSONTree {
        let start = at
        while let character = next, "+-.0123456789eE".contains(character) { at += 1 }
        let text = String(decoding: bytes[start..<at], as: UTF8.self)
        guard text.wholeMatch(of: /-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?/) != nil,
            let number = Double(text), number.isFinite
        else { throw No() }
        if text.contains(where: { ".eE".contains($0) }) { return .number(number) }
        guard let integer = Int64(text), integer.magnitude <= 1 << 53 else { throw No() }
        return .integer(integer)
    }
}
