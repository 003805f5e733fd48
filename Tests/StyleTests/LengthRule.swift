/// Files and functions are short enough to be read at once, and comment lines are no wider than
/// code.
enum LengthRule {
    static let maximumFileLines = 400
    static let maximumFunctionLines = 60
    static let maximumCommentWidth = 100

    struct Function {
        let name: String
        let firstLine: Int
        let lines: Int
    }

    static func findings(in text: String, named path: String) -> [String] {
        var findings: [String] = []
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).count - 1
        if lines > maximumFileLines { findings.append("\(path): \(lines) lines") }
        findings += functions(in: text).filter { $0.lines > maximumFunctionLines }
            .map { "\(path):\($0.firstLine): \($0.name) has \($0.lines) lines" }
        return findings + wideComments(in: text).map { "\(path):\($0): a wide comment" }
    }

    /// The comment lines that are too wide.
    static func wideComments(in text: String) -> [Int] {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        return lines.indices.filter { index in
            lines[index].count > maximumCommentWidth
                && lines[index].drop { $0 == " " }.hasPrefix("//")
        }.map { $0 + 1 }
    }

    /// The functions, initializers and subscripts with a body.
    static func functions(in text: String) -> [Function] {
        let tokens = Token.all(in: SwiftText(text).code)
        return tokens.indices.compactMap { index in
            guard ["func", "init", "deinit", "subscript"].contains(tokens[index].text),
                index == 0 || tokens[index - 1].text != ".",
                let end = endOfBody(from: index + 1, in: tokens)
            else { return nil }
            let isNamed = tokens[index].text == "func" && index + 1 < tokens.count
            return Function(
                name: tokens[isNamed ? index + 1 : index].text, firstLine: tokens[index].line,
                lines: tokens[end].line - tokens[index].line + 1)
        }
    }

    /// The brace that closes a declaration's body; `nil` if another declaration begins before a
    /// body, as in a protocol.
    private static func endOfBody(from start: Int, in tokens: [Token]) -> Int? {
        let others = ["func", "init", "var", "let", "static", "mutating", "case", "associatedtype"]
        var parentheses = 0
        var braces = 0
        for index in start..<tokens.count {
            switch tokens[index].text {
            case "(", "[": parentheses += 1
            case ")", "]": parentheses -= 1
            case "{": braces += 1
            case "}":
                braces -= 1
                if braces == 0, parentheses == 0 { return index }
                if braces < 0 { return nil }
            case let word where braces == 0 && parentheses == 0 && others.contains(word): return nil
            default: break
            }
        }
        return nil
    }
}

/// A word or a sign of a file's code.
struct Token {
    let text: String
    let line: Int

    static func all(in code: [UInt8]) -> [Token] {
        var tokens: [Token] = []
        var line = 1
        var word: [UInt8] = []
        for byte in code + [UInt8(ascii: "\n")] {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), 0x80...:
                word.append(byte)
                continue
            default: break
            }
            if !word.isEmpty {
                tokens.append(Token(text: String(decoding: word, as: UTF8.self), line: line))
                word.removeAll(keepingCapacity: true)
            }
            if byte == UInt8(ascii: "\n") {
                line += 1
            } else if byte != UInt8(ascii: " ") {
                tokens.append(Token(text: String(UnicodeScalar(byte)), line: line))
            }
        }
        return tokens
    }
}
