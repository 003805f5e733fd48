/// Programs print only through the files that filter their output.
enum OutputRule {
    /// Calls that bypass these files.
    static let raw = [
        "print(", "debugPrint(", "dump(", "puts(", "putchar(", "printf(", "fwrite(", "Glibc.write(",
        "STDOUT_FILENO", "STDERR_FILENO", "standardOutput", "standardError", "write(bytes:",
    ]

    /// The programs whose output may contain text of strangers.
    static let folders = ["Sources/collsync", "Sources/collsync-cli", "Sources/collsync-bench"]

    /// Files that write filtered text, pictures or drawn screens.
    static let writers: Set<String> = [
        "Sources/collsync/ExitCodes.swift", "Sources/collsync/LogWriter.swift",
        "Sources/collsync-bench/Report.swift", "Sources/collsync-cli/Commands/Render.swift",
        "Sources/collsync-cli/Screen/FullScreen.swift",
        "Sources/collsync-cli/Terminal/Output.swift",
        "Sources/collsync-cli/Terminal/Terminal.swift",
        // A copy is bytes for a file or a pipe, and is refused for a terminal.
        "Sources/collsync/Copies/BackupCommand.swift",
        // It writes keys, which are the program's own, to files.
        "Sources/collsync/NewFile.swift",
        // They write lines of revocations and of an audit trail to their files.
        "Sources/collsync/RevocationFile.swift", "Sources/collsync/Audit/AuditFolder.swift",
        // It writes JSON, in which what commands a terminal is escaped.
        "Sources/collsync/Audit/AuditCommand.swift",
        // This file asks whether standard output is a terminal.
        "Sources/collsync-cli/ServerOptions.swift",
        "Sources/collsync-cli/Commands/ScreenOptions.swift",
    ]

    static func findings(in text: String, named path: String) -> [String] {
        guard !writers.contains(path) else { return [] }
        let lines = SwiftText(text).code.numberedLines.filter { !$0.text.contains("func ") }
        return lines.flatMap { line in
            raw.filter { word in
                line.text.ranges(of: word).contains { range in
                    // `helpPrint(` is not `print(`, and `printer.print(` is a method.
                    let before = line.text[..<range.lowerBound].last
                    return word.first?.isLetter != true
                        || !(before?.isLetter == true || before == ".") || word.contains(".")
                }
            }.map { "\(path):\(line.number): prints by \($0) past the filter" }
        }
    }
}
