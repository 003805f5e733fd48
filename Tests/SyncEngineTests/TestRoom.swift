import EngineTwin
import SyncEngine
import SyncModel

/// A room under test. Its text has one line: `main[a b] done[c]`.
final class TestRoom {
    private(set) var engine = TestedEngine()

    /// Makes the room that `text` shows. Its things are made by `host`, in one transaction.
    init(_ text: String = "main[]") throws {
        var operations: [ListOperation] = []
        var isMainNamed = false
        for part in text.split(separator: "]") {
            let words = part.split { $0 == " " || $0 == "[" }.map(String.init)
            guard let section = words.first else { continue }
            if section == "main" { isMainNamed = true }
            if section != "main" { operations.append(.insertSection(section, .end)) }
            for item in words.dropFirst() { operations.append(.insert(item, .end(of: section))) }
        }
        if !isMainNamed { operations.append(.deleteSection(name("main"))) }
        try submit("host", at: 0, operations)
    }

    var revision: Revision { engine.revision }

    /// The sections and their items by id.
    var text: String { TestRoom.text(engine.snapshot()) }

    static func text(_ snapshot: Snapshot) -> String {
        snapshot.sections.map { state in
            "\(state.section.id)[\(state.items.map(\.id.text).joined(separator: " "))]"
        }.joined(separator: " ")
    }

    /// Goes on with the room as it is read from its image.
    func reload() throws { engine = try engine.reloaded() }

    @discardableResult
    func submit(
        _ author: String, at base: Revision? = nil, hasSeenNothing: Bool = false,
        _ operations: [ListOperation]
    ) throws -> Commit {
        var transaction = ListTransaction(base: base ?? revision, operations: operations)
        transaction.hasSeenNothing = hasSeenNothing
        defer { engine.checkInvariants() }
        return try engine.submit(transaction, by: name(author))
    }

    /// Submits operations and returns why operations were lost.
    @discardableResult
    func submit(
        _ author: String, at base: Revision? = nil, _ operations: ListOperation...
    ) throws -> [Superseded.Reason] {
        try submit(author, at: base, operations).superseded.map(\.reason)
    }

    /// The code by which operations are refused; `nil` if they are not.
    func refusal(
        _ author: String, at base: Revision? = nil, _ operations: ListOperation...
    ) -> Rejection.Code? {
        do {
            try submit(author, at: base, operations)
            return nil
        } catch {
            return (error as? Rejection)?.code
        }
    }

    /// An item as it is now.
    func item(_ id: String) -> Item? {
        engine.path(ofItem: name(id)).flatMap { engine.item(at: $0) }
    }

    /// The value of a field now.
    func value(_ field: String, of id: String) -> Value? {
        item(id)?.content.fields.first { $0.name.text == field }?.value
    }
}

/// A name that a test knows to be good.
func name(_ text: String) -> Identifier {
    guard let name = try? Identifier(text) else { preconditionFailure("\(text) is no name") }
    return name
}

func field(_ text: String, _ value: Value) -> Field { Field(name: name(text), value: value) }

extension Placement {
    static func after(_ anchor: String, in section: String? = nil, trail: [String] = [])
        -> Placement
    {
        Placement(
            section: section.map(name), position: .after(name(anchor)), trail: trail.map(name))
    }

    static func before(_ anchor: String, in section: String? = nil, trail: [String] = [])
        -> Placement
    {
        Placement(
            section: section.map(name), position: .before(name(anchor)), trail: trail.map(name))
    }

    static func at(_ index: UInt64, in section: String? = nil, trail: [String] = []) -> Placement {
        Placement(section: section.map(name), position: .index(index), trail: trail.map(name))
    }

    static func end(of section: String) -> Placement { Placement(section: name(section)) }

    /// The end of the room, for a section.
    static var end: Placement { Placement() }
}

extension ListOperation {
    static func insert(
        _ id: String, _ to: Placement, fields: [Field] = [], flags: ItemFlags = .all
    ) -> Self {
        let content = try? ItemContent(fields: fields, flags: flags)
        return .insert(Item(id: name(id), content: content ?? ItemContent()), to: to)
    }

    static func delete(_ id: String) -> Self { .delete(name(id)) }

    static func move(_ id: String, _ to: Placement) -> Self { .move(name(id), to: to) }

    static func set(_ field: Field, of id: String) -> Self {
        .update(name(id), ItemPatch(set: [field]))
    }

    static func setFlags(_ flags: ItemFlags, _ isEnabled: Bool, of id: String) -> Self {
        let changes = FlagChanges(changed: flags, enabled: isEnabled ? flags : [])
        return .update(name(id), ItemPatch(flags: changes))
    }

    static func increment(_ id: String, _ field: String, by amount: Double) -> Self {
        .increment(name(id), field: name(field), by: amount)
    }

    static func insertSection(
        _ id: String, _ to: Placement, fields: [Field] = [], flags: SectionFlags = .all
    ) -> Self {
        let content = try? SectionContent(fields: fields, flags: flags)
        return .insertSection(
            ListSection(id: name(id), content: content ?? SectionContent()), to: to)
    }

    static func deleteSection(_ id: String) -> Self { .deleteSection(name(id)) }

    static func moveSection(_ id: String, _ to: Placement) -> Self {
        .moveSection(name(id), to: to)
    }
}
