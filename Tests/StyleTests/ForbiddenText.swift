import Glibc

/// Forbidden words: traps in code, notes of unfinished work, and names of the place where the
/// project was made.
enum ForbiddenText {
    /// Calls that stop the process, and casts and tries that may.
    static let traps = ["fatalError(", "try!", "as!"]

    /// Marks of missing work. They are put together here, so that this file does not contain them.
    static let undone = ["TO" + "DO", "FIX" + "ME"]

    static func findings(inSwift text: String, named path: String) -> [String] {
        let swift = SwiftText(text)
        return found(traps, in: swift.code, named: path)
    }

    static func findings(inText text: String, named path: String) -> [String] {
        let places = Array(text.utf8).numberedLines.filter { namesWorkplace($0.text) }
            .map { "\(path):\($0.number): names where it was made" }
        return found(undone, in: Array(text.utf8), named: path) + places
    }

    private static func found(_ words: [String], in text: [UInt8], named path: String) -> [String] {
        text.numberedLines.flatMap { line in
            words.filter { holds(line.text, $0) }.map { "\(path):\(line.number): \($0)" }
        }
    }

    /// Whether a line names an author's folder, branch or numbered task.
    private static func namesWorkplace(_ line: String) -> Bool {
        let folder = "/" + "work/"
        if holds(line, folder) { return true }
        let mayNameTask = ["ssue ", "ask ", "icket "].contains { holds(line, $0) }
        return mayNameTask && line.lowercased().contains(/\b(issue|task|ticket) #?[0-9]+\b/)
    }

    /// Like `contains`, but fast even in debug builds.
    private static func holds(_ line: String, _ word: String) -> Bool {
        strstr(line, word) != nil
    }
}
