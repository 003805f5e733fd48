import EngineTwin
import ModelSupport
import SeededRandom
import SyncLayout
import SyncModel
import SyncWire

/// A plain model of a screen: its elements, with their places and contents.
struct ScreenModel {
    struct Part: Hashable {
        var category: Int
        var kind: Identifier?
        var thing: Identifier
    }

    struct Shown: Equatable {
        var element: LayoutElement
        var content: ViewContent
    }

    var shown: [Part: Shown] = [:]
    var revision: Revision = 0
    var contentSize = ListSize(width: 0, height: 0)
}

/// Makes random screens of few things, so that two of them have much in common.
struct ScreenGenerator {
    var random: SplitMix64

    init(seed: UInt64) {
        random = SplitMix64(seed: seed)
    }

    mutating func next() throws -> ScreenModel {
        var screen = ScreenModel()
        screen.revision = random.next() % 100
        screen.contentSize = ListSize(width: 320, height: Double(random.below(3) * 100))
        var items = (0..<14).map { "i\($0)" }.shuffled(using: &random)
        let sections = ["s0", "s1", "s2"].shuffled(using: &random)
        for (index, name) in sections.prefix(1 + random.below(3)).enumerated() {
            let section = ListSection(id: try Identifier(name), content: try sectionContent())
            for kind in [LayoutElement.header, LayoutElement.footer] where random.chance(50) {
                add(.supplementary(kind: kind, section: index), 1, kind, .section(section), &screen)
            }
            for number in 0..<4 where random.chance(30) {
                let kind = Spellings.name("card", number)
                add(.decoration(kind: kind, section: index), 3, kind, .section(section), &screen)
            }
            for place in 0..<random.below(6) {
                guard let name = items.popLast() else { break }
                let item = Item(id: try Identifier(name), content: try itemContent())
                let path = ItemPath(section: index, item: place)
                if random.chance(80) { add(.cell(path), 0, nil, .item(item), &screen) }
                guard random.chance(40) else { continue }
                add(.itemSupplementary(kind: "badge", path), 2, "badge", .item(item), &screen)
            }
        }
        return screen
    }

    private mutating func add(
        _ identity: LayoutElement.Identity, _ category: Int, _ kind: Identifier?,
        _ content: ViewContent, _ screen: inout ScreenModel
    ) {
        let part = ScreenModel.Part(category: category, kind: kind, thing: content.thing.id)
        screen.shown[part] = ScreenModel.Shown(element: element(identity), content: content)
    }

    mutating func element(_ identity: LayoutElement.Identity) -> LayoutElement {
        let frame = ListRect(
            x: Double(random.below(2)), y: Double(random.below(3)), width: 9, height: 9)
        var element = LayoutElement(identity, frame: frame, zIndex: random.below(2))
        if random.chance(10) { element.alpha = 0.5 }
        if random.chance(10) { element.scale = 1.5 }
        if random.chance(10) { element.isHidden = true }
        return element
    }

    mutating func itemContent() throws -> ItemContent {
        try ItemContent(fields: [
            Field(name: Identifier("title"), value: .number(Double(random.below(2))))
        ])
    }

    private mutating func sectionContent() throws -> SectionContent {
        try SectionContent(fields: [
            Field(name: Identifier("title"), value: .number(Double(random.below(2))))
        ])
    }
}

/// A plain model of the server's side of a view: it sends the updates from one screen to the next.
struct ScreenSender {
    private var screen = ScreenModel()
    private var keys: [ScreenModel.Part: UInt32] = [:]
    private var lastKey: UInt32 = 0
    private var number: UInt64 = 0

    /// Starts again on a new connection.
    mutating func begin() {
        self = ScreenSender()
    }

    mutating func update(to next: ScreenModel) -> ViewUpdate {
        number += 1
        var update = ViewUpdate(
            room: 1, view: 1, number: number, revision: next.revision, isFirst: number == 1)
        if number == 1 || next.contentSize != screen.contentSize {
            update.contentSize = next.contentSize
        }
        for (part, old) in screen.shown {
            guard let key = keys[part] else { continue }
            guard let new = next.shown[part] else {
                keys[part] = nil
                var final = ElementPatch()
                final.alpha = 0
                update.disappeared.append(.init(key: key, final: final))
                continue
            }
            guard new != old else { continue }
            let patch = ElementPatch(from: old.element, to: new.element)
            if !patch.isEmpty { update.changed.append(.init(key: key, to: patch)) }
        }
        for (part, new) in next.shown where keys[part] == nil {
            lastKey += 1
            keys[part] = lastKey
            update.appeared.append(
                .init(key: lastKey, element: new.element, of: part.thing))
        }
        let contents = next.shown.values.map { ($0.content.thing, $0.content) }
        let told = Dictionary(contents, uniquingKeysWith: { first, _ in first })
        for content in told.values
        where !screen.shown.values.contains(where: { $0.content == content }) {
            switch content {
            case .item(let item): update.items.append(item)
            case .section(let section): update.sections.append(section)
            }
        }
        screen = next
        return update
    }
}
