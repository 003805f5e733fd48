/// A line that a person types. Like in a list of the room, `2` is an item and `[2]` a section.
enum PlainCommand: Equatable {
    /// A change of items or of sections; both are numbered from 1.
    enum Edit: Equatable {
        /// Adds at the end of the given section, or of the last one.
        case add(String, section: Int? = nil)
        case edit(Int, String)
        /// Moves it to the place of another one.
        case move(Int, Int)
        /// Moves it to the end of a section.
        case moveInto(Int, section: Int)
        case delete([Int])
    }

    case nothing, help, list, who, quit
    /// Selects these items instead of all others; other members see it.
    case select([Int])
    case copy([Int])
    case cut([Int])
    /// Pastes before an item, or at the end.
    case paste(Int?)
    /// Pastes at the end of a section.
    case pasteInto(section: Int)
    case item(Edit)
    case section(Edit)

    /// Reads a line.
    init(_ line: String) throws(PlainMistake) {
        let (word, rest) = PlainCommand.split(line[...])
        guard let command = PlainCommand(word, rest) else { throw PlainMistake(word, rest) }
        self = command
    }

    private init?(_ word: Substring, _ rest: Substring) {
        switch word {
        case "": self = .nothing
        case "help", "?": self = .help
        case "list", "ls": self = .list
        case "who": self = .who
        case "select", "copy", "cut":
            guard let numbers = PlainCommand.numbers(rest) else { return nil }
            switch word {
            case "select": self = .select(numbers)
            case "copy" where !numbers.isEmpty: self = .copy(numbers)
            case "cut" where !numbers.isEmpty: self = .cut(numbers)
            default: return nil
            }
        case "paste" where rest.isEmpty: self = .paste(nil)
        case "paste":
            if let section = PlainCommand.section(rest) {
                self = .pasteInto(section: section)
                return
            }
            guard let number = PlainCommand.number(rest) else { return nil }
            self = .paste(number)
        case "quit", "exit": self = .quit
        case "section":
            let (word, rest) = PlainCommand.split(rest)
            guard let edit = Edit(word, rest) else { return nil }
            self = .section(edit)
        default:
            guard let edit = Edit(intoSection: word, rest) ?? Edit(word, rest) else { return nil }
            self = .item(edit)
        }
    }

    /// The first word, and the rest without the space around it.
    static func split(_ text: Substring) -> (word: Substring, rest: Substring) {
        let text = text.drop(while: \.isWhitespace)
        let word = text.prefix { !$0.isWhitespace }
        var rest = text[word.endIndex...].drop(while: \.isWhitespace)
        while rest.last?.isWhitespace == true { rest.removeLast() }
        return (word, rest)
    }

    fileprivate static func numbers(_ text: Substring) -> [Int]? {
        let words = text.split(whereSeparator: \.isWhitespace)
        let numbers = words.compactMap(number)
        return numbers.count == words.count ? numbers : nil
    }

    /// The number of a section in brackets.
    fileprivate static func section(_ text: Substring) -> Int? {
        guard text.hasPrefix("["), text.hasSuffix("]") else { return nil }
        return number(text.dropFirst().dropLast())
    }

    /// A number of an item or section, from 1.
    fileprivate static func number(_ text: Substring) -> Int? {
        Int(text).flatMap { $0 >= 1 ? $0 : nil }
    }
}

extension PlainCommand.Edit {
    /// Reads a change at the end of a section; `nil` if the line is another command.
    fileprivate init?(intoSection word: Substring, _ rest: Substring) {
        let (first, second) = PlainCommand.split(rest)
        switch word {
        case "add":
            guard let section = PlainCommand.section(first), !second.isEmpty else { return nil }
            self = .add(String(second), section: section)
        case "move":
            guard let number = PlainCommand.number(first),
                let section = PlainCommand.section(second)
            else { return nil }
            self = .moveInto(number, section: section)
        default: return nil
        }
    }

    fileprivate init?(_ word: Substring, _ rest: Substring) {
        let (first, second) = PlainCommand.split(rest)
        switch word {
        case "add" where !rest.isEmpty: self = .add(String(rest))
        case "edit" where !second.isEmpty:
            guard let number = PlainCommand.number(first) else { return nil }
            self = .edit(number, String(second))
        case "move":
            guard let number = PlainCommand.number(first),
                let target = PlainCommand.number(second)
            else { return nil }
            self = .move(number, target)
        case "delete" where !rest.isEmpty:
            guard let numbers = PlainCommand.numbers(rest) else { return nil }
            self = .delete(numbers)
        default: return nil
        }
    }
}
