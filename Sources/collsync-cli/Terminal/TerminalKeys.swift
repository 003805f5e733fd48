import Glibc
import SyncIO
import SyncLoop

/// How the terminal passes on keys. It is static, so that a sudden end of the process can restore
/// it, too.
enum TerminalKeys {
    enum Mode {
        /// All keys, those that would end the process included.
        case all
        /// Keys as they are pressed, but the one that interrupts the process.
        case typed
    }

    private static let former = Monitor(termios?.none)

    /// Whether standard input is a terminal.
    static var areThere: Bool { isatty(STDIN_FILENO) != 0 }

    /// Does nothing if keys do not come from a terminal.
    static func set(_ mode: Mode) {
        var keys = termios()
        guard areThere, tcgetattr(STDIN_FILENO, &keys) == 0 else { return }
        let was = keys
        former.withLock { $0 = was }
        switch mode {
        case .all: cfmakeraw(&keys)
        case .typed:
            keys.c_lflag &= ~tcflag_t(ICANON | ECHO | IEXTEN)
            // A process that is stopped, or ends with a core, would leave the terminal so.
            withUnsafeMutableBytes(of: &keys.c_cc) { characters in
                for key in [VSUSP, VQUIT] { characters[Int(key)] = 0 }
            }
        }
        tcsetattr(STDIN_FILENO, TCSANOW, &keys)
    }

    static func restore() {
        guard var was = former.withLock({ $0.take() }) else { return }
        tcsetattr(STDIN_FILENO, TCSANOW, &was)
    }
}
