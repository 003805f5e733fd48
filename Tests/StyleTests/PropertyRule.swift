/// A type has a state that a reader can keep in mind: few stored properties. Those of nested types
/// count, so that a wrapper hides nothing.
enum PropertyRule {
    static let maximumProperties = 20

    /// The number of stored properties of each outermost type of a module, including those of its
    /// nested types.
    ///
    /// Static properties and the values of enum cases do not count.
    static func counts(in texts: [String]) -> [String: Int] {
        var counts: [String: Int] = [:]
        for text in texts {
            var scanner = PropertyScanner(SwiftText(text).code)
            scanner.scan()
            counts.merge(scanner.counts, uniquingKeysWith: +)
        }
        return counts
    }

    static func findings(in texts: [String]) -> [String] {
        let over = counts(in: texts).filter { $0.value > maximumProperties }
        return over.sorted { $0.key < $1.key }.map {
            "\($0.key) has \($0.value) stored properties"
        }
    }
}

/// Counts the stored properties of one file.
private struct PropertyScanner {
    private(set) var counts: [String: Int] = [:]

    /// The owner of an open brace: a type, by the name of its outermost type, or anything else.
    private enum Scope {
        case type(outermost: String)
        case other
    }

    /// The words that begin another declaration.
    private static let beginnings: Set = [
        "var", "let", "func", "init", "deinit", "subscript", "case", "struct", "class", "enum",
        "actor", "typealias", "static", "private", "fileprivate", "internal", "package", "public",
        "mutating", "lazy", "weak", "@", "#",
    ]

    private let tokens: [Token]
    private var position = 0
    private var scopes: [Scope] = []
    /// The type whose brace comes next.
    private var announced: String?

    init(_ code: [UInt8]) {
        tokens = Token.all(in: code)
    }

    private var outermost: String? {
        if case .type(let name)? = scopes.last { return name }
        return nil
    }

    mutating func scan() {
        while position < tokens.count {
            switch tokens[position].text {
            case "{":
                scopes.append(announced.map { .type(outermost: $0) } ?? .other)
                announced = nil
            case "}": _ = scopes.popLast()
            case "struct", "class", "actor", "enum", "extension": announceType()
            case "var", "let": countProperty()
            default: break
            }
            position += 1
        }
    }

    private mutating func announceType() {
        guard position + 1 < tokens.count, scopes.isEmpty || outermost != nil else { return }
        let name = tokens[position + 1].text
        // `class var` and `class func` declare members.
        guard name != "var", name != "func", name != "let", name != ":" else { return }
        announced = outermost ?? name
    }

    private mutating func countProperty() {
        guard let type = outermost, !isStatic else { return }
        guard !isComputed else { return }
        counts[type, default: 0] += 1
    }

    private var isStatic: Bool {
        var index = position - 1
        while index >= 0, tokens[index].line == tokens[position].line {
            if tokens[index].text == "static" || tokens[index].text == "class" { return true }
            index -= 1
        }
        return false
    }

    /// Whether a body follows the property's type, and the body is no observer.
    private var isComputed: Bool {
        var depth = 0
        for index in position + 1..<tokens.count {
            switch tokens[index].text {
            case "(", "[", "<": depth += 1
            // The arrow of a closure's type closes no bracket.
            case ">" where tokens[index - 1].text == "-": break
            case ")", "]", ">": depth -= 1
            case "=" where depth == 0, "}" where depth == 0: return false
            case let word where depth == 0 && PropertyScanner.beginnings.contains(word):
                return false
            case "{" where depth == 0:
                let next = index + 1 < tokens.count ? tokens[index + 1].text : ""
                return next != "didSet" && next != "willSet"
            default: break
            }
        }
        return false
    }
}
