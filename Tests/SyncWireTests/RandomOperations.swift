import SeededRandom
import SyncModel

/// Operations and what becomes of them, of every kind.
extension SplitMix64 {
    mutating func placement(ofItem: Bool) throws -> Placement {
        let position: Position =
            switch below(4) {
            case 0: .end
            case 1: .after(try identifier())
            case 2: .before(try identifier())
            default: .index(number())
            }
        return Placement(
            section: ofItem && chance(60) ? try identifier() : nil, position: position,
            trail: try identifiers(atMost: chance(20) ? Placement.maximumTrail : 0))
    }

    mutating func itemPatch() throws -> ItemPatch {
        ItemPatch(
            set: try fields(atMost: 3), unset: try identifiers(atMost: 2),
            size: chance(50) ? nil : chance(50) ? .clear : .set(size()),
            kind: chance(50) ? nil : chance(50) ? .clear : .set(try identifier()),
            flags: FlagChanges(
                changed: ItemFlags(rawValue: UInt8(below(32))),
                enabled: ItemFlags(rawValue: UInt8(below(32)))))
    }

    mutating func sectionPatch() throws -> SectionPatch {
        SectionPatch(
            set: try fields(atMost: 3), unset: try identifiers(atMost: 2),
            supplementaries: try supplementaries(),
            removedSupplementaries: try identifiers(atMost: 2),
            flags: FlagChanges(
                changed: SectionFlags(rawValue: UInt8(below(2))),
                enabled: SectionFlags(rawValue: UInt8(below(2)))))
    }

    mutating func operation(_ kind: Int) throws -> ListOperation {
        switch kind {
        case 0: .insert(try item(), to: try placement(ofItem: true))
        case 1: .delete(try identifier())
        case 2: .move(try identifier(), to: try placement(ofItem: true))
        case 3: .update(try identifier(), try itemPatch())
        case 4: .increment(try identifier(), field: try identifier(), by: number())
        case 5: .insertSection(try section(), to: try placement(ofItem: false))
        case 6: .deleteSection(try identifier())
        case 7: .moveSection(try identifier(), to: try placement(ofItem: false))
        default: .updateSection(try identifier(), try sectionPatch())
        }
    }

    mutating func transaction() throws -> ListTransaction {
        ListTransaction(
            base: number(), operations: try (0..<below(6)).map { _ in try operation(below(9)) })
    }

    mutating func superseded() -> Superseded {
        let reasons = Superseded.Reason.allCases
        return Superseded(operation: index(), reason: reasons[below(reasons.count)])
    }

    mutating func rejection() -> Rejection {
        let codes = Rejection.Code.allCases
        return Rejection(
            operation: chance(50) ? nil : index(), code: codes[below(codes.count)],
            message: text(atMost: 20))
    }
}
