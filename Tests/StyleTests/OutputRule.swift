/// Programs print through the files that filter what they print; all others hand it to these.
enum OutputRule {
    /// What writes past them.
    static let raw = [
        "print(", "debugPrint(", "dump(", "puts(", "putchar(", "printf(", "fwrite(", "Glibc.write(",
        "STDOUT_FILENO", "STDERR_FILENO", "standardOutput", "standardError", "write(bytes:",
    ]

    /// The programs whose output may show what strangers have written.
    static let folders = ["Sources/collsync", "Sources/collsync-cli", "Sources/collsync-bench"]

    /// Files that write what has been filtered, pictures, or screens that are drawn.
    static let writers: Set<String> = [
        "Sources/collsync/ExitCodes.swift", "Sources/collsync/LogWriter.swift",
        "Sources/collsync-bench/Report.swift", "Sources/collsync-cli/Commands/Render.swift",
        "Sources/collsync-cli/Screen/FullScreen.swift",
        "Sources/collsync-cli/Terminal/Output.swift",
        "Sources/collsync-cli/Terminal/Terminal.swift",
        // It asks whether standard output is a terminal.
        "Sources/collsync-cli/ServerOptions.swift",
        "Sources/collsync-cli/Commands/ScreenOptions.swift",
    ]

    static func findings(in text: String, named path: String) -> [String] {
        guard !writers.contains(path) else { return [] }
        let lines = SwiftText(text).code.numberedLines.filter { !$0.text.contains("func ") }
        return lines.flatMap { line in
            raw.filter { word in
                line.text.ranges(of: word).contains { range in
                    // `helpPrint(` is no `print(`, and `printer.print(` is one's own.
                    let before = line.text[..<range.lowerBound].last
                    return word.first?.isLetter != true
                        || !(before?.isLetter == true || before == ".") || word.contains(".")
                }
            }.map { "\(path):\(line.number): prints by \($0) past the filter" }
        }
    }
}
