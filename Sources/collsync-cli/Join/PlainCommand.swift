/// A line that a person types.
enum PlainCommand: Equatable {
    /// What is done to items or to sections; both are numbered from 1.
    enum Edit: Equatable {
        case add(String)
        case edit(Int, String)
        case move(Int, Int)
        case delete(Int)
    }

    case nothing, help, list, who, quit
    /// Shows the others that these items are selected, and no others.
    case select([Int])
    case copy([Int])
    case cut([Int])
    /// Before an item, or at the end.
    case paste(Int?)
    case item(Edit)
    case section(Edit)

    /// Reads a line; `nil` if it is no command.
    init?(_ line: String) {
        let (word, rest) = PlainCommand.split(line[...])
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
            guard let number = PlainCommand.number(rest) else { return nil }
            self = .paste(number)
        case "quit", "exit": self = .quit
        case "section":
            let (word, rest) = PlainCommand.split(rest)
            guard let edit = Edit(word, rest) else { return nil }
            self = .section(edit)
        default:
            guard let edit = Edit(word, rest) else { return nil }
            self = .item(edit)
        }
    }

    /// The first word and what follows it, without the space around.
    fileprivate static func split(_ text: Substring) -> (word: Substring, rest: Substring) {
        let text = text.drop(while: \.isWhitespace)
        let word = text.prefix { !$0.isWhitespace }
        var rest = text[word.endIndex...].drop(while: \.isWhitespace)
        while rest.last?.isWhitespace == true { rest.removeLast() }
        return (word, rest)
    }

    private static func numbers(_ text: Substring) -> [Int]? {
        let words = text.split(whereSeparator: \.isWhitespace)
        let numbers = words.compactMap(number)
        return numbers.count == words.count ? numbers : nil
    }

    /// The number of a thing, from 1.
    fileprivate static func number(_ text: Substring) -> Int? {
        Int(text).flatMap { $0 >= 1 ? $0 : nil }
    }
}

extension PlainCommand.Edit {
    fileprivate init?(_ word: Substring, _ rest: Substring) {
        let (first, second) = PlainCommand.split(rest)
        switch word {
        case "add" where !rest.isEmpty: self = .add(String(rest))
        case "edit" where !second.isEmpty:
            guard let number = PlainCommand.number(first) else { return nil }
            self = .edit(number, String(second))
        case "move":
            guard let number = PlainCommand.number(first), let target = PlainCommand.number(second)
            else {
                return nil
            }
            self = .move(number, target)
        case "delete" where second.isEmpty:
            guard let number = PlainCommand.number(first) else { return nil }
            self = .delete(number)
        default: return nil
        }
    }
}
