/// A Swift file split in two: its code without comments and the text of literals, and its comments
/// without code. The removed parts are blank, so lines can be counted.
struct SwiftText {
    private(set) var code: [UInt8] = []
    private(set) var comments: [UInt8] = []

    /// Where the scanner is: in code, perhaps inside an interpolation, or in a literal's text.
    private enum Region {
        case code(openParentheses: Int)
        case literal(quotes: Int, hashes: Int)
    }

    private let source: [UInt8]
    private var position = 0
    private var regions = [Region.code(openParentheses: 0)]

    init(_ text: String) {
        source = Array(text.utf8)
        code.reserveCapacity(source.count)
        comments.reserveCapacity(source.count)
        while position < source.count {
            switch regions[regions.count - 1] {
            case .code(let open): scanCode(openParentheses: open)
            case .literal(let quotes, let hashes): scanLiteral(quotes: quotes, hashes: hashes)
            }
        }
    }

    private mutating func scanCode(openParentheses: Int) {
        if starts(with: "//") {
            while position < source.count, source[position] != newline { take(1, asComment: true) }
        } else if starts(with: "/*") {
            takeBlockComment()
        } else if let literal = literalStart() {
            take(literal.hashes + literal.quotes)
            regions.append(.literal(quotes: literal.quotes, hashes: literal.hashes))
        } else {
            let byte = source[position]
            if byte == UInt8(ascii: "("), regions.count > 1 {
                regions[regions.count - 1] = .code(openParentheses: openParentheses + 1)
            } else if byte == UInt8(ascii: ")"), regions.count > 1 {
                regions[regions.count - 1] = .code(openParentheses: openParentheses - 1)
                if openParentheses == 1 { regions.removeLast() }
            }
            take(1, asCode: true)
        }
    }

    private mutating func scanLiteral(quotes: Int, hashes: Int) {
        let hashText = String(repeating: "#", count: hashes)
        if starts(with: "\\" + hashText + "(") {
            take(1 + hashes)
            regions.append(.code(openParentheses: 0))
        } else if starts(with: "\\" + hashText) {
            take(2 + hashes)
        } else if starts(with: String(repeating: "\"", count: quotes) + hashText) {
            take(quotes + hashes)
            regions.removeLast()
        } else {
            take(1)
        }
    }

    private mutating func takeBlockComment() {
        var depth = 0
        repeat {
            if starts(with: "/*") {
                depth += 1
                take(2, asComment: true)
            } else if starts(with: "*/") {
                depth -= 1
                take(2, asComment: true)
            } else {
                take(1, asComment: true)
            }
        } while depth > 0 && position < source.count
    }

    /// How many quotes and hashes open a literal at this position, if one begins here.
    private func literalStart() -> (quotes: Int, hashes: Int)? {
        let quote = UInt8(ascii: "\"")
        guard source[position] == quote || source[position] == UInt8(ascii: "#") else { return nil }
        let hashes = source[position...].prefix { $0 == UInt8(ascii: "#") }.count
        let quotes = source[(position + hashes)...].prefix(3).prefix { $0 == quote }.count
        guard quotes > 0 else { return nil }
        return (quotes == 3 ? 3 : 1, hashes)
    }

    private func starts(with text: String) -> Bool {
        guard source[position] == text.utf8.first else { return false }
        return source[position...].starts(with: text.utf8)
    }

    private mutating func take(_ count: Int, asCode: Bool = false, asComment: Bool = false) {
        for byte in source[position...].prefix(count) {
            let isBreak = byte == newline
            code.append(asCode || isBreak ? byte : blank)
            comments.append(asComment || isBreak ? byte : blank)
        }
        position += count
    }

    private var newline: UInt8 { UInt8(ascii: "\n") }
    private var blank: UInt8 { UInt8(ascii: " ") }
}

extension [UInt8] {
    /// The lines, numbered from 1.
    var numberedLines: [(number: Int, text: String)] {
        split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated()
            .map { ($0.offset + 1, String(decoding: $0.element, as: UTF8.self)) }
    }
}
