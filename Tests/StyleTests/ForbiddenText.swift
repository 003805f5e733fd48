import Glibc

/// Words that have no place: traps in code, notes of work undone, and the names of the place where
/// the project was made.
enum ForbiddenText {
    /// What stops the process, and casts and tries that would.
    static let traps = ["fatalError(", "try!", "as!"]

    /// What says that something is missing. Put together here, so that this file does not say it.
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

    /// Whether a line names a folder, a branch or a numbered task of whoever wrote it.
    private static func namesWorkplace(_ line: String) -> Bool {
        let folder = "/" + "work/"
        if holds(line, folder) { return true }
        let mayNameTask = ["ssue ", "ask ", "icket "].contains { holds(line, $0) }
        return mayNameTask && line.lowercased().contains(/\b(issue|task|ticket) #?[0-9]+\b/)
    }

    /// As `contains`, but fast also where nothing is optimized.
    private static func holds(_ line: String, _ word: String) -> Bool {
        strstr(line, word) != nil
    }
}
