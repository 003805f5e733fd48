import Glibc
import SyncTerminal

/// What is said to a person beside the output proper: on standard error.
enum Terminal {
    /// Whether a person reads standard error, so that progress is worth showing.
    static var showsProgress: Bool { isatty(STDERR_FILENO) != 0 }

    /// Whether a person types.
    static var hasKeyboard: Bool { isatty(STDIN_FILENO) != 0 }

    /// Writes a line to standard error. If that fails there is nobody to tell.
    static func say(_ line: TerminalText) {
        write(line.text + "\n")
    }

    /// Replaces the progress line.
    static func showProgress(_ text: TerminalText) {
        if showsProgress { write("\r\u{1B}[K\(text.text)") }
    }

    /// Takes the progress line away.
    static func endProgress() {
        if showsProgress { write("\r\u{1B}[K") }
    }

    private static func write(_ text: String) {
        var text = text
        text.withUTF8 { bytes in
            _ = Glibc.write(STDERR_FILENO, bytes.baseAddress, bytes.count)
        }
    }
}
