import SyncModel

/// A short history whose result depends on a clause of `Protocol/merge-rules.md`. It is written as
/// text, one step in each line.
///
///     host 0: section s; insert a in s; insert b in s
///     ann 1: move a after b
///     again ann
///     horizon 1
///
/// The number behind an author is the base, counted from the scenario's start; so is the horizon's.
/// `again` sends the author's last transaction once more. The scenario's number is appended to all
/// ids but `main`.
struct GoldenScenario {
    enum Step {
        case submit(ListTransaction, author: String)
        case again(author: String)
        case horizon(Revision)
    }

    /// A word that is not understood.
    struct Misspelt: Error {
        let line: String
    }

    let steps: [Step]

    init(_ text: String, number: Int, start: Revision) throws {
        var steps: [Step] = []
        for line in text.split(separator: "\n") {
            steps.append(try GoldenScenario.step(String(line), number, start))
        }
        self.steps = steps
    }

    private static func step(_ line: String, _ number: Int, _ start: Revision) throws -> Step {
        let parts = line.split(separator: ":", maxSplits: 1)
        let head = parts[0].split(separator: " ").map(String.init)
        if head[0] == "again", head.count == 2 { return .again(author: head[1]) }
        guard head.count == 2, let offset = UInt64(head[1]) else { throw Misspelt(line: line) }
        if head[0] == "horizon" { return .horizon(start + offset) }
        var transaction = ListTransaction(base: start + offset, operations: [])
        for text in parts.count > 1 ? parts[1].split(separator: ";") : [] {
            var words = Words(text.split(separator: " ").map(String.init), number, line)
            transaction.operations.append(try words.operation())
        }
        return .submit(transaction, author: head[0])
    }
}

/// The words of an operation, from first to last.
private struct Words {
    private var rest: [String]
    private let number: Int
    private let line: String

    init(_ words: [String], _ number: Int, _ line: String) {
        rest = words
        self.number = number
        self.line = line
    }

    mutating func operation() throws -> ListOperation {
        switch try next() {
        case "insert":
            let id = try name()
            let to = try placement()
            return .insert(Item(id: id, content: try ItemContent(flags: flags())), to: to)
        case "delete": return .delete(try name())
        case "move": return .move(try name(), to: try placement())
        case "update":
            let id = try name()
            return .update(id, try patch())
        case "increment":
            return .increment(try name(), field: Identifier("f"), by: 1)
        case "section":
            let id = try name()
            let to = try placement()
            let isClosed = take("closed")
            let content = try SectionContent(flags: isClosed ? [] : .all)
            return .insertSection(ListSection(id: id, content: content), to: to)
        case "deleteSection": return .deleteSection(try name())
        case "moveSection": return .moveSection(try name(), to: try placement())
        default: throw GoldenScenario.Misspelt(line: line)
        }
    }

    private mutating func next() throws -> String {
        guard !rest.isEmpty else { throw GoldenScenario.Misspelt(line: line) }
        return rest.removeFirst()
    }

    private mutating func take(_ word: String) -> Bool {
        guard rest.first == word else { return false }
        rest.removeFirst()
        return true
    }

    private mutating func name() throws -> Identifier {
        let word = try next()
        return try Identifier(word == "main" ? word : "\(word)-\(number)")
    }

    private mutating func placement() throws -> Placement {
        var placement = Placement()
        if take("in") { placement.section = try name() }
        if take("after") {
            placement.position = .after(try name())
        } else if take("before") {
            placement.position = .before(try name())
        } else if take("at") {
            placement.position = .index(UInt64(try next()) ?? 0)
        }
        if take("trail") {
            while !rest.isEmpty { placement.trail.append(try name()) }
        }
        return placement
    }

    /// All flags but one that is named with a minus.
    private mutating func flags() throws -> ItemFlags {
        if take("-movable") { return .all.subtracting(.movable) }
        if take("-editable") { return .all.subtracting(.editable) }
        return take("-deletable") ? .all.subtracting(.deletable) : .all
    }

    private mutating func patch() throws -> ItemPatch {
        var patch = ItemPatch()
        if take("+editable") { patch.flags = FlagChanges(changed: .editable, enabled: .editable) }
        while !rest.isEmpty {
            patch.set.append(Field(name: try Identifier(try next()), value: .number(1)))
        }
        return patch
    }
}
