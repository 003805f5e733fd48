import SeededRandom
import SyncModel

extension HistoryGenerator {
    // MARK: Items

    mutating func itemContent() -> ItemContent {
        let size = random.chance(20) ? ListSize(width: 40, height: Double(random.below(90))) : nil
        let kind = random.chance(20) ? name("kind", below: 3) : nil
        let flags = random.chance(5) ? ItemFlags.all.subtracting(itemFlag()) : .all
        let fields = fields(atMost: 2)
        // Everything made here is valid. If it were not, the item would be empty.
        let content = try? ItemContent(kind: kind, size: size, fields: fields, flags: flags)
        return content ?? ItemContent()
    }

    mutating func itemPatch() -> ItemPatch {
        var patch = ItemPatch()
        if random.chance(18) {
            patch.flags = FlagChanges(changed: itemFlag(), enabled: random.chance(70) ? .all : [])
            if random.chance(70) { return patch }
        }
        patch.set = fields(atMost: 2)
        patch.unset = unset(besides: patch.set)
        if random.chance(20) {
            let size = ListSize(width: Double(random.below(50)), height: 0.5)
            patch.size = random.chance(70) ? .set(size) : .clear
        }
        if random.chance(20) {
            patch.kind = random.chance(70) ? .set(name("kind", below: 3)) : .clear
        }
        return patch
    }

    private mutating func itemFlag() -> ItemFlags {
        random.pick([.movable, .editable, .editable, .deletable, .selectable, .highlightable])
            ?? .movable
    }

    mutating func amount() -> Double {
        random.pick([1.0, 1.0, -2.0, 0.5, 0x1p53, 1.7e308, 1.7e308]) ?? 1
    }

    // MARK: Sections

    mutating func sectionContent() -> SectionContent {
        let flags: SectionFlags = random.chance(5) ? [] : .all
        let fields = fields(atMost: 1)
        let supplementaries = random.chance(30) ? [supplementary()] : []
        let content = try? SectionContent(
            fields: fields, supplementaries: supplementaries, flags: flags)
        return content ?? SectionContent()
    }

    mutating func sectionPatch() -> SectionPatch {
        var patch = SectionPatch()
        if random.chance(25) {
            patch.flags = FlagChanges(
                changed: .acceptsMoves, enabled: random.chance(75) ? .acceptsMoves : [])
        }
        patch.set = fields(atMost: 2)
        patch.unset = unset(besides: patch.set)
        if random.chance(40) { patch.supplementaries = [supplementary()] }
        if random.chance(30) {
            let kind = name("view", below: 3)
            if !patch.supplementaries.contains(where: { $0.kind == kind }) {
                patch.removedSupplementaries = [kind]
            }
        }
        return patch
    }

    private mutating func supplementary() -> Supplementary {
        let size = random.chance(50) ? ListSize(width: 320, height: Double(random.below(60))) : nil
        return Supplementary(kind: name("view", below: 3), size: size, fields: fields(atMost: 1))
    }

    // MARK: Fields

    private mutating func fields(atMost count: Int) -> [Field] {
        var fields: [Field] = []
        for _ in 0..<random.below(count + 1) {
            let name = name("f", below: 3)
            if fields.contains(where: { $0.name == name }) { continue }
            fields.append(Field(name: name, value: value()))
        }
        return fields
    }

    private mutating func unset(besides set: [Field]) -> [Identifier] {
        guard random.chance(30) else { return [] }
        let name = name("f", below: 3)
        return set.contains { $0.name == name } ? [] : [name]
    }

    private mutating func value() -> Value {
        switch random.below(16) {
        case 0: .null
        case 1: .bool(random.chance(50))
        case 2: .text("é\(random.below(4))")
        case 3: .list([.number(1), .text("x")])
        case 4: .object([Field(name: name("m", below: 2), value: .number(0.25))])
        case 5, 6: .number(1.7e308)
        default: .number(Double(random.below(1000)))
        }
    }
}
