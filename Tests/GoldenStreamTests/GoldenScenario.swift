import SyncModel

/// A short history whose result depends on a clause of `Protocol/merge-rules.md`. It is written as
/// text, one step in each line.
///
///     host 0: section s; insert a in s; insert b in s
///     ann 1: move a after b
///     again ann
///     horizon 1
///     bob 2 all: update a f=2 -g size; delete b since 1 place content f
///
/// The number behind an author is the base, counted from the scenario's start; so are the numbers
/// behind `horizon` and `since`. `again` sends the author's last transaction once more. `all` asks
/// for all operations or none. `since` begins a guard. A field without a value gets 1. The
/// scenario's number is appended to all ids but `main`.
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
        let isAll = head.count == 3 && head[2] == "all"
        guard head.count == 2 || isAll, let offset = UInt64(head[1]) else {
            throw Misspelt(line: line)
        }
        if head[0] == "horizon" { return .horizon(start + offset) }
        var transaction = ListTransaction(
            base: start + offset, operations: [], isAllOrNothing: isAll)
        for text in parts.count > 1 ? parts[1].split(separator: ";") : [] {
            let words = text.split(separator: " ").map(String.init)
            transaction.operations.append(try operation(words, number, line, start))
        }
        return .submit(transaction, author: head[0])
    }

    private static func operation(
        _ words: [String], _ number: Int, _ line: String, _ start: Revision
    ) throws -> ListOperation {
        let parts = words.split(separator: "since", maxSplits: 1).map(Array.init)
        var inner = Words(parts.first ?? [], number, line)
        let operation = try inner.operation()
        guard parts.count == 2 else { return operation }
        var behind = Words(parts[1], number, line)
        return .guarded(operation, by: try behind.condition(start))
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
        case "updateSection":
            let id = try name()
            return .updateSection(id, try sectionPatch())
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
        var fields = FieldChanges()
        while !rest.isEmpty {
            let word = try next()
            switch word {
            case "+editable": patch.flags = FlagChanges(changed: .editable, enabled: .editable)
            case "-selectable": patch.flags = FlagChanges(changed: .selectable)
            case "size": patch.size = .set(ListSize(width: 1, height: 1))
            case "kind": patch.kind = .set("k")
            default: try fields.add(word)
            }
        }
        patch.set = fields.set
        patch.unset = fields.unset
        return patch
    }

    private mutating func sectionPatch() throws -> SectionPatch {
        var patch = SectionPatch()
        if take("header") { patch.supplementaries = [Supplementary(kind: "header")] }
        var fields = FieldChanges()
        while !rest.isEmpty { try fields.add(try next()) }
        patch.set = fields.set
        patch.unset = fields.unset
        return patch
    }

    /// A guard: its revision, what it covers, and the names of fields.
    mutating func condition(_ start: Revision) throws -> Guard {
        guard let offset = UInt64(try next()) else { throw GoldenScenario.Misspelt(line: line) }
        var condition = Guard(since: start + offset)
        condition.place = take("place")
        condition.content = take("content")
        while !rest.isEmpty { condition.fields.append(try Identifier(try next())) }
        return condition
    }
}

/// Fields that an update changes.
private struct FieldChanges {
    private(set) var set: [Field] = []
    private(set) var unset: [Identifier] = []

    /// Adds `f`, `f=2`, `f=null`, or `-f` for a field that is removed.
    mutating func add(_ word: String) throws {
        if word.hasPrefix("-") {
            unset.append(try Identifier(String(word.dropFirst())))
            return
        }
        let parts = word.split(separator: "=").map(String.init)
        var value = Value.number(1)
        if parts.count == 2 { value = Double(parts[1]).map(Value.number) ?? .null }
        set.append(Field(name: try Identifier(parts[0]), value: value))
    }
}
