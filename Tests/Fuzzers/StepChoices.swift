import EngineTwin
import ModelSupport
import SyncEngine
import SyncModel

/// Makes the steps of a history from an input's choices, over few ids, so that they meet often.
struct StepChoices {
    var choices: InputBytes

    private static let authors = names("author", 3)
    private static let items = names("i", 10)
    private static let sections = [name(Engine.firstSection)] + (1...3).map { name("s", $0) }
    private static let fields = names("f", 2)
    /// No content has the last one.
    private static let guardFields = names("f", 3)

    /// How many fields a guard may name.
    private let maximumFields: Int

    /// - Parameter maximumFields: more than ``Guard/maximumFields`` if something refuses these
    ///   guards before the engine gets them.
    init(_ choices: InputBytes, maximumFields: Int = Guard.maximumFields) {
        self.choices = choices
        self.maximumFields = maximumFields
    }

    var isAtEnd: Bool { choices.isAtEnd }

    mutating func step(_ twin: Twin) -> HistoryStep {
        switch choices.below(16) {
        case 13: return .advanceHorizon(revision(back: 8, from: twin.revision))
        case 14: return .reload
        case 15:
            let from = revision(back: 12, from: twin.revision)
            return .compare(from: from, to: from + Revision(choices.below(12)))
        default:
            let author = pick(StepChoices.authors)
            let transaction = transaction(newest: twin.revision, horizon: twin.horizon)
            return .submit(transaction, by: author)
        }
    }

    mutating func transaction(newest: Revision, horizon: Revision) -> ListTransaction {
        var base = revision(back: 10, from: newest)
        // An impossible base.
        if choices.oneIn(64) { base &+= 3 }
        let kind = choices.byte()
        var transaction = ListTransaction(base: base, operations: [])
        transaction.operations = (0...(kind % 4)).map { _ in
            guardedOperation(newest: newest, horizon: horizon)
        }
        transaction.isAllOrNothing = kind >= 192
        transaction.hasSeenNothing = base == 0 && kind % 32 >= 24
        return transaction
    }

    /// A revision shortly before the newest one.
    private mutating func revision(back: Int, from newest: Revision) -> Revision {
        newest - min(newest, Revision(choices.below(back)))
    }

    // MARK: Operations

    private mutating func guardedOperation(newest: Revision, horizon: Revision) -> ListOperation {
        let kind = choices.byte()
        var operation = operation(kind % 14)
        if kind >= 224 { operation = .guarded(operation, by: condition(newest, horizon)) }
        // The outer guard of two counts.
        if kind >= 250 { operation = .guarded(operation, by: condition(newest, horizon)) }
        return operation
    }

    private mutating func condition(_ newest: Revision, _ horizon: Revision) -> Guard {
        let since: Revision =
            switch choices.below(16) {
            case 0: 0
            case 1: horizon
            case 2: horizon &- 1
            case 3: newest
            case 4: newest &+ 1
            case 5: .max
            default: revision(back: 10, from: newest)
            }
        var condition = Guard(since: since)
        let parts = choices.byte()
        condition.place = parts & 1 != 0
        condition.content = parts & 2 != 0
        let fieldCount = [0, 0, 1, 1, 2, 3, Guard.maximumFields, maximumFields][Int(parts >> 5)]
        condition.fields = (0..<fieldCount).map { _ in pick(StepChoices.guardFields) }
        return condition
    }

    private mutating func operation(_ kind: UInt8) -> ListOperation {
        switch kind {
        case 0, 1, 2, 3:
            let item = Item(id: pick(StepChoices.items), content: itemContent())
            return .insert(item, to: itemPlacement())
        case 4, 5, 6: return .move(pick(StepChoices.items), to: itemPlacement())
        case 7: return .delete(pick(StepChoices.items))
        case 8: return .update(pick(StepChoices.items), itemPatch())
        case 9:
            let amount = choices.oneIn(8) ? 1.7e308 : 1
            return .increment(pick(StepChoices.items), field: pick(StepChoices.fields), by: amount)
        case 10:
            let section = ListSection(id: pick(StepChoices.sections), content: sectionContent())
            return .insertSection(section, to: sectionPlacement())
        case 11: return .deleteSection(pick(StepChoices.sections))
        case 12: return .moveSection(pick(StepChoices.sections), to: sectionPlacement())
        default: return .updateSection(pick(StepChoices.sections), sectionPatch())
        }
    }

    private mutating func itemPlacement() -> Placement {
        let section = choices.below(4) > 0 ? pick(StepChoices.sections) : nil
        return Placement(
            section: section, position: position(among: StepChoices.items),
            trail: trail(among: StepChoices.items))
    }

    private mutating func sectionPlacement() -> Placement {
        Placement(
            position: position(among: StepChoices.sections),
            trail: trail(among: StepChoices.sections))
    }

    private mutating func position(among ids: [Identifier]) -> Position {
        switch choices.below(8) {
        case 0: .end
        case 1, 2, 3: .after(pick(ids))
        case 4, 5: .before(pick(ids))
        case 6: .index(UInt64(choices.below(12)))
        default: .index(.max - UInt64(choices.below(2)))
        }
    }

    private mutating func trail(among ids: [Identifier]) -> [Identifier] {
        choices.oneIn(4) ? choices.list(below: 4) { ids[$0.below(ids.count)] } : []
    }

    // MARK: Content

    private mutating func itemContent() -> ItemContent {
        let disabled = choices.oneIn(8) ? ItemFlags(rawValue: choices.byte()) : []
        let content = try? ItemContent(
            fields: fieldValues(), flags: ItemFlags.all.subtracting(disabled))
        return content ?? ItemContent()
    }

    private mutating func itemPatch() -> ItemPatch {
        var patch = ItemPatch(set: fieldValues())
        if patch.set.isEmpty { patch.unset = [pick(StepChoices.fields)] }
        if choices.oneIn(4) {
            let changed = ItemFlags(rawValue: choices.byte()).intersection(.all)
            patch.flags = FlagChanges(
                changed: changed, enabled: ItemFlags(rawValue: choices.byte()))
        }
        return patch
    }

    private mutating func sectionContent() -> SectionContent {
        let flags: SectionFlags = choices.oneIn(8) ? [] : .all
        return (try? SectionContent(fields: fieldValues(), flags: flags)) ?? SectionContent()
    }

    private mutating func sectionPatch() -> SectionPatch {
        var patch = SectionPatch(set: fieldValues())
        if choices.oneIn(3) { patch.flags = FlagChanges(changed: .acceptsMoves, enabled: []) }
        if choices.oneIn(3) { patch.flags = FlagChanges(changed: .acceptsMoves, enabled: .all) }
        return patch
    }

    private mutating func fieldValues() -> [Field] {
        switch choices.below(4) {
        case 1: [Field(name: pick(StepChoices.fields), value: .number(Double(choices.below(9))))]
        case 2: [Field(name: pick(StepChoices.fields), value: .text(Spellings.composed))]
        default: []
        }
    }

    // MARK: Names

    private mutating func pick(_ ids: [Identifier]) -> Identifier {
        ids[choices.below(ids.count)]
    }

    private static func names(_ prefix: String, _ count: Int) -> [Identifier] {
        (0..<count).map { name(prefix, $0) }
    }
}

/// The name of a number; some differ from each other by their spelling only.
func name(_ prefix: String, _ number: Int) -> Identifier { Spellings.name(prefix, number) }

/// A name that is known to be valid.
func name(_ text: String) -> Identifier {
    guard let name = try? Identifier(text) else {
        preconditionFailure("'\(text)' is no identifier")
    }
    return name
}

/// Packs a transaction that is known to be valid.
func packed(_ transaction: ListTransaction) -> PackedTransaction {
    do throws(Rejection) {
        return try PackedTransaction(transaction)
    } catch {
        finding("the transaction can't be packed: \(error), \(transaction)")
    }
}
