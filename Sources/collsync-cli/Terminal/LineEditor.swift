import SyncTerminal

/// The line that a person types, with a cursor and the lines before it.
///
/// Only characters that a terminal shows get into it: control characters are no text.
struct LineEditor {
    private var before: [Character] = []
    private var after: [Character] = []
    private var history: [[Character]] = []
    /// The line of the history that is shown, and what was typed before; `nil` for a new line.
    private var shown: (index: Int, typed: [Character])?

    /// What a key asks for beside a change of the line.
    enum Event: Equatable {
        case line(String)
        case end
    }

    private static let longestLine = 4_096
    private static let mostLines = 500
    private static let prompt = "> "

    mutating func press(_ key: Key) -> Event? {
        switch key {
        case .character(let scalar): insert(scalar)
        case .tab: insert(" ")
        case .left: if let last = before.popLast() { after.insert(last, at: 0) }
        case .right: if !after.isEmpty { before.append(after.removeFirst()) }
        case .home, .control("a"): (before, after) = ([], before + after)
        case .end, .control("e"): (before, after) = (before + after, [])
        case .up: show((shown?.index ?? history.count) - 1)
        case .down: show((shown?.index ?? history.count) + 1)
        case .backspace: _ = before.popLast()
        case .delete: if !after.isEmpty { after.removeFirst() }
        case .control("u"): before = []
        case .control("k"): after = []
        case .control("w"): deleteWord()
        case .control("d"):
            if before.isEmpty, after.isEmpty { return .end }
            if !after.isEmpty { after.removeFirst() }
        case .enter: return .line(takeLine())
        default: break
        }
        return nil
    }

    private mutating func insert(_ scalar: Unicode.Scalar) {
        guard before.count + after.count < LineEditor.longestLine,
            !DisplayText.commandsTerminals(scalar)
        else { return }
        // A mark belongs to the character before it, of which only a few are kept.
        let joined = (before.last.map { String($0) } ?? "") + String(scalar)
        guard joined.count == 1, !before.isEmpty else { return before.append(Character(scalar)) }
        if joined.unicodeScalars.count <= LineEditor.mostScalars {
            before[before.count - 1] = Character(joined)
        }
    }

    private static let mostScalars = 16

    private mutating func deleteWord() {
        while before.last?.isWhitespace == true { before.removeLast() }
        while before.last?.isWhitespace == false { before.removeLast() }
    }

    private mutating func show(_ index: Int) {
        guard (0...history.count).contains(index) else { return }
        let typed = shown?.typed ?? before + after
        shown = index == history.count ? nil : (index, typed)
        (before, after) = (index == history.count ? typed : history[index], [])
    }

    private mutating func takeLine() -> String {
        let line = before + after
        (before, after, shown) = ([], [], nil)
        if !line.allSatisfy(\.isWhitespace), line != history.last { history.append(line) }
        if history.count > LineEditor.mostLines { history.removeFirst() }
        return String(line)
    }

    // MARK: Drawing

    /// A whole line, as it stays on the terminal.
    static func shown(_ line: String) -> String { prompt + DisplayText(whole: line).text }

    /// What shows the line in the terminal's last row, from its beginning on, with the cursor in
    /// its place. Of a line that is too long it shows the part around the cursor.
    func drawing(columns: Int) -> String {
        let room = max(1, columns - LineEditor.prompt.count - 1)
        var start = before.count
        var cursor = 0
        while start > 0 {
            let width = LineEditor.columns(before[start - 1])
            if cursor + width > room { break }
            cursor += width
            start -= 1
        }
        var text = String(before[start...])
        var width = cursor
        for character in after {
            width += LineEditor.columns(character)
            if width > room { break }
            text.append(character)
        }
        let place = LineEditor.prompt.count + cursor
        return "\r\(LineEditor.prompt)\(DisplayText(whole: text).text)\u{1B}[K\r\u{1B}[\(place)C"
    }

    private static func columns(_ character: Character) -> Int {
        DisplayText(whole: String(character)).columns
    }
}
