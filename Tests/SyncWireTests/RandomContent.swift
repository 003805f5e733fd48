import ModelSupport
import SeededRandom
import SyncModel
import SyncWire

/// Content that a person may write, with edge cases more often than by chance.
extension SplitMix64 {
    mutating func text(atMost length: Int) -> String {
        let alphabet: [Unicode.Scalar] =
            ["a", "Z", "0", " ", "語", "🦜", "\u{0}", "\n", "\""] + Spellings.scalars
        let scalars = (0..<below(length + 1)).map { _ in alphabet[below(alphabet.count)] }
        return String(String.UnicodeScalarView(scalars))
    }

    mutating func identifier() throws -> Identifier {
        let alphabet: [Unicode.Scalar] =
            ["a", "b", "c", "-", "7", "ü", "語", "/", " ", "~"] + Spellings.scalars
        switch below(20) {
        case 0: return try Identifier(String(repeating: "x", count: Identifier.maximumLength))
        case 1: return try Identifier(String(repeating: "語", count: 42))
        case 2...5: return Spellings.name("", below(4))
        default:
            let length = 1 + below(20)
            let scalars = (0..<length).map { _ in alphabet[below(alphabet.count)] }
            return try Identifier(String(String.UnicodeScalarView(scalars)))
        }
    }

    mutating func identifiers(atMost count: Int) throws -> [Identifier] {
        try (0..<below(count + 1)).map { _ in try identifier() }
    }

    mutating func number() -> Double {
        switch below(8) {
        case 0: 0
        case 1: Value.exactIntegers.upperBound
        case 2: Value.exactIntegers.lowerBound
        case 3: Value.exactIntegers.upperBound + 2
        case 4: Double(below(1000)) / 8
        case 5: -.leastNonzeroMagnitude
        case 6: .greatestFiniteMagnitude
        default: Double(below(100_000) - 50_000)
        }
    }

    mutating func value(depth: Int = 0) throws -> Value {
        switch pick(ValueKind.kinds(canNest: depth < 3)) {
        case .null, nil: .null
        case .bool: .bool(chance(50))
        case .number: .number(number())
        case .text: .text(text(atMost: 30))
        case .list: .list(try (0..<below(4)).map { _ in try value(depth: depth + 1) })
        case .object: .object(try fields(atMost: 3, depth: depth + 1))
        }
    }

    /// Fields with different names, in their stored order.
    mutating func fields(atMost count: Int, depth: Int = 0) throws -> [Field] {
        var names: Set<Identifier> = []
        for _ in 0..<below(count + 1) { names.insert(try identifier()) }
        return try names.sorted().map { name in
            Field(name: name, value: try value(depth: depth))
        }
    }

    mutating func size() -> ListSize {
        ListSize(width: abs(number()), height: abs(number()))
    }

    mutating func item() throws -> Item {
        Item(
            id: try identifier(),
            content: try ItemContent(
                kind: chance(30) ? try identifier() : nil, size: chance(30) ? size() : nil,
                fields: try fields(atMost: 3),
                flags: chance(70) ? .all : ItemFlags(rawValue: UInt8(below(32)))))
    }

    mutating func items(atMost count: Int) throws -> [Item] {
        try (0..<below(count + 1)).map { _ in try item() }
    }

    mutating func supplementaries() throws -> [Supplementary] {
        var kinds: Set<Identifier> = []
        for _ in 0..<below(3) { kinds.insert(try identifier()) }
        return try kinds.sorted().map { kind in
            Supplementary(
                kind: kind, size: chance(50) ? size() : nil, fields: try fields(atMost: 2))
        }
    }

    mutating func section() throws -> ListSection {
        ListSection(
            id: try identifier(),
            content: try SectionContent(
                fields: try fields(atMost: 2), supplementaries: try supplementaries(),
                flags: chance(70) ? .all : []))
    }

    mutating func index() -> Int {
        chance(10) ? Int(UInt32.max) - below(2) : below(300)
    }

    /// A whole number that a client may send.
    mutating func number() -> UInt64 { uint64() & WireProtocol.greatestNumber }

    mutating func uint64() -> UInt64 {
        chance(20) ? next() : UInt64(below(3) * below(100_000))
    }

    mutating func uint32() -> UInt32 {
        UInt32(truncatingIfNeeded: uint64())
    }
}
