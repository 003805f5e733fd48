import Glibc
import SyncTerminal

/// Messages for a person, on standard error.
enum Terminal {
    /// Whether standard error is a terminal, so that a person sees the progress.
    static var showsProgress: Bool { isatty(STDERR_FILENO) != 0 }

    /// Whether standard input is a terminal.
    static var hasKeyboard: Bool { isatty(STDIN_FILENO) != 0 }

    /// Writes a line to standard error. It ignores failures: there is no other place to report
    /// them.
    static func say(_ line: TerminalText) {
        write(line.text + "\n")
    }

    /// Replaces the progress line.
    static func showProgress(_ text: TerminalText) {
        if showsProgress { write("\r\u{1B}[K\(text.text)") }
    }

    /// Removes the progress line.
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
