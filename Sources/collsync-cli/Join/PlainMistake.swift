import SyncTerminal

/// Explains why a line is no command, and what would be one.
struct PlainMistake: Error, Equatable {
    let message: TerminalText

    /// - Parameters:
    ///   - word: the line's first word.
    ///   - rest: the rest of the line.
    init(_ word: Substring, _ rest: Substring) {
        if word == "section" {
            let verb = PlainCommand.split(rest).word
            message = PlainMistake.sections.first { $0.word == verb }?.usage ?? PlainMistake.section
        } else if let usage = PlainMistake.items.first(where: { $0.word == word })?.usage {
            message = usage
        } else {
            let nearest = NearestWord.among(PlainMistake.words, to: String(word))
            let hint: TerminalText = nearest.map { "did you mean \($0)? " } ?? ""
            message = "There is no command '\(String(word))'; \(hint)help names them all.\n"
        }
    }

    private static let words =
        items.map(\.word) + ["list", "section", "who", "quit", "help"]

    private static let items: [(word: String, usage: TerminalText)] = [
        ("add", "add takes a text, and may name a section before it: add Milk, or add [2] Milk.\n"),
        ("edit", "edit takes a number and a text: edit 1 Oat milk.\n"),
        ("move", "move takes two numbers: move 3 1, or move 3 [2] to the end of section 2.\n"),
        ("delete", "delete takes at least one number: delete 1 3.\n"),
        ("select", "select takes numbers, or nothing: select 1 3.\n"),
        ("copy", "copy takes at least one number: copy 1 3.\n"),
        ("cut", "cut takes at least one number: cut 1 3.\n"),
        ("paste", "paste takes one number, or nothing: paste 3, or paste [2] for section 2.\n"),
    ]

    private static let section: TerminalText =
        "section takes add, edit, move or delete: section add Fruit.\n"

    private static let sections: [(word: String, usage: TerminalText)] = [
        ("add", "section add takes a text: section add Fruit.\n"),
        ("edit", "section edit takes a number and a text: section edit 1 Fruit.\n"),
        ("move", "section move takes two numbers: section move 2 1.\n"),
        ("delete", "section delete takes at least one number: section delete 2.\n"),
    ]
}
