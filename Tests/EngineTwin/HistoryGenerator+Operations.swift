import ModelSupport
import SeededRandom
import SyncModel

extension HistoryGenerator {
    mutating func operation(_ view: inout AuthorView) -> ListOperation {
        let itemCount = view.now.sections.reduce(0) { $0 + $1.items.count }
        let isFull = itemCount >= climate.targetItems
        let sectionCount = view.now.sections.count
        let areSectionsFull = sectionCount >= climate.targetSections
        let kind = random.pick(OperationKind.self) { kind in
            switch kind {
            case .insert: isFull ? 10 : 34
            case .delete: isFull ? 26 : 7
            case .move: 24
            case .update: 14
            case .increment: 6
            case .insertSection: areSectionsFull ? 2 : 6
            case .deleteSection: areSectionsFull ? 6 : 2
            case .moveSection: 5
            case .updateSection: 3
            }
        }
        switch kind {
        case .delete: return .delete(item(view))
        case .move:
            let id = item(view)
            return .move(id, to: itemPlacement(view, moving: id))
        case .update: return .update(item(view), itemPatch())
        case .increment:
            return .increment(item(view), field: name("f", below: 3), by: amount())
        case .insertSection: return insertSection(view)
        case .deleteSection: return .deleteSection(section(view))
        case .moveSection:
            let id = section(view)
            return .moveSection(id, to: sectionPlacement(view, moving: id))
        case .updateSection: return .updateSection(section(view), sectionPatch())
        case .insert, nil: return insert(&view)
        }
    }

    private mutating func insert(_ view: inout AuthorView) -> ListOperation {
        let live = Set(view.now.sections.flatMap(\.items).map(\.id))
        let fresh = climate.items.filter { !live.contains($0) }
        let id = random.chance(92) ? random.pick(fresh) : random.pick(climate.items)
        var placement = itemPlacement(view, moving: nil)
        if let last = view.lastInserted, random.chance(25) {
            placement = Placement(position: .after(last), trail: placement.trail)
        }
        let item = Item(id: id ?? name("i", below: 10), content: itemContent())
        view.lastInserted = item.id
        return .insert(item, to: placement)
    }

    private mutating func insertSection(_ view: AuthorView) -> ListOperation {
        let live = Set(view.now.sections.map(\.section.id))
        let fresh = climate.sections.filter { !live.contains($0) }
        let id = random.chance(85) ? random.pick(fresh) : random.pick(climate.sections)
        let content = sectionContent()
        let section = ListSection(id: id ?? name("s", below: 3), content: content)
        return .insertSection(section, to: sectionPlacement(view, moving: nil))
    }

    // MARK: Ids

    /// An item to work on: mostly one the author sees.
    private mutating func item(_ view: AuthorView) -> Identifier {
        if view.isPastHorizon, random.chance(25) { return name("i", below: 90) }
        let from = random.below(100)
        if from < 78, let seen = random.pick(view.items) { return seen }
        if from < 97, let known = random.pick(view.knownItems) { return known }
        return anyItem(view)
    }

    /// An item that need not be known to anyone.
    private mutating func anyItem(_ view: AuthorView) -> Identifier {
        if random.chance(70), let known = random.pick(view.knownItems) { return known }
        return random.pick(climate.items) ?? name("i", below: 10)
    }

    private mutating func section(_ view: AuthorView) -> Identifier {
        let isSeen = random.chance(view.isPastHorizon ? 78 : 90)
        if isSeen, let seen = random.pick(view.sections) { return seen }
        return anySection(view)
    }

    private mutating func anySection(_ view: AuthorView) -> Identifier {
        if random.chance(view.isPastHorizon ? 40 : 80), let known = random.pick(view.knownSections)
        {
            return known
        }
        return random.pick(climate.sections) ?? name("s", below: 3)
    }

    func name(_ prefix: String, number: Int) -> Identifier { Spellings.name(prefix, number) }

    mutating func name(_ prefix: String, below count: Int) -> Identifier {
        name(prefix, number: random.below(count))
    }

    // MARK: Placements

    private mutating func itemPlacement(_ view: AuthorView, moving: Identifier?) -> Placement {
        let section = section(view)
        let siblings = view.seen.sections.first { $0.section.id == section }?.items.map(\.id) ?? []
        var placement = Placement(section: section)
        placement.position = position(siblings, moving: moving) { generator in
            generator.item(view)
        }
        if case .after(let anchor) = placement.position { name(anchor, in: &placement, view) }
        if case .before(let anchor) = placement.position { name(anchor, in: &placement, view) }
        if random.below(400) == 0 { placement.section = nil }
        placement.trail = trail(siblings, view.knownItems, climate.items)
        return placement
    }

    /// Names the anchor's section, or none, or leaves the one that is named.
    private mutating func name(
        _ anchor: Identifier, in placement: inout Placement, _ view: AuthorView
    ) {
        switch random.below(10) {
        case 0..<5: placement.section = nil
        case 5..<8: placement.section = view.section(of: anchor) ?? placement.section
        default: break
        }
    }

    private mutating func sectionPlacement(_ view: AuthorView, moving: Identifier?) -> Placement {
        var placement = Placement()
        placement.position = position(view.sections, moving: moving) { generator in
            generator.section(view)
        }
        placement.trail = trail(view.sections, view.knownSections, climate.sections)
        return placement
    }

    private mutating func position(
        _ siblings: [Identifier], moving: Identifier?,
        any: (inout HistoryGenerator) -> Identifier
    ) -> Position {
        let sibling = random.chance(80) ? random.pick(siblings) : nil
        switch random.below(100) {
        case 0..<38: return .after(sibling ?? any(&self))
        case 38..<62: return .before(sibling ?? any(&self))
        case 62..<65: return moving.map { random.chance(50) ? .after($0) : .before($0) } ?? .end
        case 65..<90: return .index(UInt64(random.below(siblings.count + 2)))
        case 90: return .index(random.chance(50) ? (1 << 53) - 1 : 1 << 52)
        default: return .end
        }
    }

    private mutating func trail(
        _ siblings: [Identifier], _ known: [Identifier], _ all: [Identifier]
    ) -> [Identifier] {
        guard random.chance(50) else { return [] }
        return (0..<random.below(5)).compactMap { _ in
            switch random.below(10) {
            case 0..<6: random.pick(siblings)
            case 6..<9: random.pick(known)
            default: random.pick(all)
            }
        }
    }
}
