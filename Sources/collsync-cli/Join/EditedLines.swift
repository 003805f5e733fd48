import Glibc
import SyncIO
import SyncLoop
import SyncTerminal

/// Lines that a person types on a terminal, below what is printed: a text that comes meanwhile is
/// printed above the line, which stays as it is.
final class EditedLines: LineInput, TextOutput {
    private let output: Output
    private let keyboard: Keyboard
    private let editor = Monitor(LineEditor())
    private let lines: AsyncStream<String>
    private let reading: Task<Void, Never>
    private let isFinished = Monitor(false)

    /// Whether a person types, and sees what is printed, on a terminal that can move its cursor.
    static var isPossible: Bool {
        let kind = getenv("TERM").map { String(cString: $0) } ?? "dumb"
        return TerminalKeys.areThere && Output.isTerminal && kind != "dumb"
    }

    init(output: Output) throws(IOError) {
        self.output = output
        let (lines, continuation) = AsyncStream<String>.makeStream()
        self.lines = lines
        keyboard = try Keyboard(descriptor: STDIN_FILENO, losesNone: true)
        TerminalKeys.set(.typed)
        reading = Task { [keyboard, editor, isFinished] in
            for await key in keyboard.keys {
                let isOver = editor.withLock { editor in
                    if isFinished.withLock({ $0 }) { return true }
                    var text = ""
                    switch editor.press(key) {
                    case .end: return true
                    case .line(let line):
                        text = "\r\(LineEditor.shown(line))\u{1B}[K\n"
                        continuation.yield(line)
                    case nil: break
                    }
                    text += EditedLines.drawing(of: editor)
                    try? output.write(bytes: Array(text.utf8))
                    return false
                }
                if isOver { break }
            }
            continuation.finish()
        }
    }

    private static func drawing(of editor: LineEditor) -> String {
        editor.drawing(columns: FullScreen.size.columns)
    }

    func write(text: TerminalText) throws {
        try editor.withLock { editor in
            let isOver = isFinished.withLock { $0 }
            let line = isOver ? "" : EditedLines.drawing(of: editor)
            try output.write(bytes: Array("\r\u{1B}[K\(text.text)\(line)".utf8))
        }
    }

    func next() async -> [LineReader.Line]? {
        var lines = lines.makeAsyncIterator()
        return await lines.next().map { [.text(Array($0.utf8))] }
    }

    func finish() {
        // Behind the lock nothing is drawn any more.
        let isFirst = editor.withLock { _ in
            isFinished.withLock { isFinished in
                defer { isFinished = true }
                return !isFinished
            }
        }
        guard isFirst else { return }
        keyboard.finish()
        TerminalKeys.restore()
        // An error means that the terminal is gone.
        try? output.write(bytes: Array("\r\u{1B}[K".utf8))
    }
}
