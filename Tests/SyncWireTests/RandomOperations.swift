import ModelSupport
import SeededRandom
import SyncModel

/// Operations of every kind, and their outcomes.
extension SplitMix64 {
    mutating func placement(ofItem: Bool) throws -> Placement {
        let position: Position =
            switch pick(PositionKind.self) {
            case .end: .end
            case .after: .after(try identifier())
            case .before: .before(try identifier())
            case .index: .index(number())
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

    mutating func operation(_ kind: OperationKind) throws -> ListOperation {
        switch kind {
        case .insert: .insert(try item(), to: try placement(ofItem: true))
        case .delete: .delete(try identifier())
        case .move: .move(try identifier(), to: try placement(ofItem: true))
        case .update: .update(try identifier(), try itemPatch())
        case .increment: .increment(try identifier(), field: try identifier(), by: number())
        case .insertSection: .insertSection(try section(), to: try placement(ofItem: false))
        case .deleteSection: .deleteSection(try identifier())
        case .moveSection: .moveSection(try identifier(), to: try placement(ofItem: false))
        case .updateSection: .updateSection(try identifier(), try sectionPatch())
        }
    }

    /// A guard in front of some of them.
    mutating func perhapsGuarded(_ operation: ListOperation) throws -> ListOperation {
        guard chance(30) else { return operation }
        return operation.ifUnchanged(
            since: chance(20) ? 0 : number(), place: chance(50), content: chance(50),
            fields: try identifiers(atMost: chance(20) ? Guard.maximumFields : 1))
    }

    mutating func transaction() throws -> ListTransaction {
        ListTransaction(
            base: number(),
            operations: try (0..<below(6)).map { _ in
                try perhapsGuarded(try operation(pick(OperationKind.self)))
            },
            isAllOrNothing: chance(20))
    }

    mutating func superseded() -> Superseded {
        Superseded(
            operation: index(), reason: pick(Superseded.Reason.self),
            changed: chance(50) ? [] : GuardedChanges(rawValue: uint32()))
    }

    mutating func rejection() -> Rejection {
        Rejection(
            operation: chance(50) ? nil : index(), code: pick(Rejection.Code.self),
            message: text(atMost: 20), retryAfterMilliseconds: chance(50) ? 0 : uint32())
    }
}
