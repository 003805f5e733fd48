import SyncTerminal

/// Why a config file can't be used.
struct ConfigError: Error, CustomStringConvertible {
    let file: String
    /// The line that is wrong, from 1; `nil` if no single line is.
    let line: Int?
    let problem: String

    var description: String { "\(place): \(problem)" }

    /// The error for a terminal.
    var text: TerminalText { "\(place): \(problem)" }

    private var place: String { line.map { "\(file):\($0)" } ?? file }
}
