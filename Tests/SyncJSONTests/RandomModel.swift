import ModelSupport
import SeededRandom
import SyncModel

/// Makes random values of the model and lines, always the same for the same seed.
struct RandomModel: RandomNumberGenerator {
    private var random: SplitMix64

    init(seed: UInt64) {
        random = SplitMix64(seed: seed)
    }

    mutating func next() -> UInt64 { random.next() }

    mutating func list<Element>(
        upTo count: Int, _ make: (inout RandomModel) throws -> Element
    ) rethrows -> [Element] {
        var elements: [Element] = []
        for _ in 0..<below(count + 1) { elements.append(try make(&self)) }
        return elements
    }

    /// A text with up to three bytes changed, inserted or removed.
    mutating func damaged(_ original: [UInt8]) -> [UInt8] {
        let pool = Array("{}[]\",:\\0e-n.9".utf8)
        var bytes = original
        for _ in 0...below(3) {
            let index = below(bytes.count)
            switch below(3) {
            case 0: bytes[index] = UInt8(below(256))
            case 1: bytes.insert(pool[below(pool.count)], at: index)
            default: bytes.remove(at: index)
            }
        }
        return bytes
    }

    // MARK: Parts

    private static let scalars: [Unicode.Scalar] =
        [
            "a", "Z", "0", " ", "\"", "\\", "/", "{", "]", ":", ",", "ß", "漢", "😀", "\u{2028}",
            "\u{FEFF}", "\u{FFFD}", "\u{10FFFF}",
        ] + Spellings.scalars
    private static let controls: [Unicode.Scalar] = [
        "\u{0}", "\u{1}", "\u{8}", "\t", "\n", "\u{B}", "\u{C}", "\r", "\u{1F}", "\u{7F}", "\u{85}",
    ]

    mutating func string(upTo count: Int, controls: Bool = true) -> String {
        var text = String.UnicodeScalarView()
        for _ in 0..<below(count + 1) {
            let pool = controls && chance(20) ? RandomModel.controls : RandomModel.scalars
            text.append(pool[below(pool.count)])
        }
        return String(text)
    }

    mutating func name() throws -> Identifier {
        chance(20)
            ? Spellings.name("n", below(4))
            : try Identifier("n" + string(upTo: 8, controls: false))
    }

    /// Names with different bytes; some look the same.
    mutating func names(upTo count: Int) throws -> [Identifier] {
        var names = Set<Identifier>()
        for _ in 0..<below(count + 1) { names.insert(try name()) }
        if chance(10) {
            for text in Spellings.all { names.insert(id(text)) }
        }
        return names.sorted()
    }

    mutating func number() -> Double {
        switch below(6) {
        case 0: return Double(below(2001) - 1000)
        case 1: return Double(below(2001) - 1000) / 8
        case 2:
            let edges: [Double] = [
                9_007_199_254_740_992, -9_007_199_254_740_992, 1e16, -1e16, .leastNonzeroMagnitude,
                1e308,
            ]
            return edges[below(edges.count)]
        case 3: return Double(Int64.random(in: -(1 << 53)...(1 << 53), using: &self))
        case 4: return 0.1 * Double(below(100))
        default:
            let number = Double(bitPattern: next())
            return number.isFinite ? number : 0.5
        }
    }

    mutating func value(depth: Int = 0) throws -> Value {
        switch pick(ValueKind.kinds(canNest: depth < 4)) {
        case .null, nil: .null
        case .bool: .bool(chance(50))
        case .number: .number(number())
        case .text: .text(string(upTo: 12))
        case .list: .list(try list(upTo: 3) { try $0.value(depth: depth + 1) })
        case .object: .object(try fields(depth: depth + 1))
        }
    }

    mutating func fields(depth: Int = 0) throws -> [Field] {
        try names(upTo: 3).map { Field(name: $0, value: try value(depth: depth)) }
    }

    mutating func size() -> ListSize { ListSize(width: number(), height: number()) }

    mutating func itemFlags() -> ItemFlags {
        chance(50) ? .all : ItemFlags(rawValue: UInt8(below(32)))
    }

    mutating func sectionFlags() -> SectionFlags { chance(70) ? .all : [] }

    mutating func item() throws -> Item {
        let content = try ItemContent(
            kind: chance(30) ? try name() : nil, size: chance(50) ? size() : nil,
            fields: try fields(), flags: itemFlags())
        return Item(id: try name(), content: content)
    }

    mutating func supplementaries() throws -> [Supplementary] {
        try names(upTo: 2).map {
            Supplementary(kind: $0, size: chance(50) ? size() : nil, fields: try fields())
        }
    }

    mutating func section() throws -> ListSection {
        let content = try SectionContent(
            fields: try fields(), supplementaries: try supplementaries(), flags: sectionFlags())
        return ListSection(id: try name(), content: content)
    }

    mutating func revision() -> Revision {
        chance(5) ? 1 << 53 - 1 : Revision(below(1_000_000_000))
    }

    // MARK: Operations

    mutating func placement(ofItem: Bool) throws -> Placement {
        let position: Position =
            switch pick(PositionKind.self) {
            case .end: .end
            case .after: .after(try name())
            case .before: .before(try name())
            case .index: .index(revision())
            }
        var section: Identifier?
        switch position {
        case .end, .index: section = ofItem ? try name() : nil
        case .after, .before: section = ofItem && chance(50) ? try name() : nil
        }
        let trail = try list(upTo: Placement.maximumTrail) { try $0.name() }
        return Placement(section: section, position: position, trail: trail)
    }

    mutating func change<Content>(
        _ make: (inout RandomModel) throws -> Content
    ) rethrows -> Change<Content>? {
        switch below(3) {
        case 0: nil
        case 1: .clear
        default: .set(try make(&self))
        }
    }

    mutating func itemPatch() throws -> ItemPatch {
        ItemPatch(
            set: try fields(), unset: try names(upTo: 3), size: change { $0.size() },
            kind: try change { try $0.name() },
            flags: FlagChanges(changed: itemFlags(), enabled: itemFlags()))
    }

    mutating func sectionPatch() throws -> SectionPatch {
        let added = try supplementaries()
        let kinds = Set(added.map(\.kind))
        return SectionPatch(
            set: try fields(), unset: try names(upTo: 3), supplementaries: added,
            removedSupplementaries: try names(upTo: 2).filter { !kinds.contains($0) },
            flags: FlagChanges(changed: sectionFlags(), enabled: sectionFlags()))
    }

    mutating func operation() throws -> ListOperation {
        let operation = try unguardedOperation()
        guard chance(30) else { return operation }
        return operation.ifUnchanged(
            since: revision(), place: chance(50), content: chance(50), fields: try names(upTo: 3))
    }

    private mutating func unguardedOperation() throws -> ListOperation {
        switch pick(OperationKind.self) {
        case .insert: .insert(try item(), to: try placement(ofItem: true))
        case .delete: .delete(try name())
        case .move: .move(try name(), to: try placement(ofItem: true))
        case .update: .update(try name(), try itemPatch())
        case .increment: .increment(try name(), field: try name(), by: number())
        case .insertSection: .insertSection(try section(), to: try placement(ofItem: false))
        case .deleteSection: .deleteSection(try name())
        case .moveSection: .moveSection(try name(), to: try placement(ofItem: false))
        case .updateSection: .updateSection(try name(), try sectionPatch())
        }
    }
}
