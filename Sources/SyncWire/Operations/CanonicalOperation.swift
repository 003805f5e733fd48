import SyncBytes
import SyncModel

/// Transactions that are canonical already.
extension CanonicalContent {
    /// The transaction whose canonical body `bytes` are, if it is within the limits. It refers to
    /// these bytes.
    static func transaction(
        _ bytes: UnsafeRawBufferPointer, _ limits: WireLimits
    ) -> TransactionView? {
        guard bytes.count <= limits.transactionBytes else { return nil }
        var scan = CanonicalContent(bytes, 0)
        var base: Revision = 0
        var count = 0
        do throws(ByteError) {
            if scan.take(OperationTag.base) { base = try scan.reader.readVarint() }
            guard base <= WireProtocol.greatestNumber else { return nil }
            let operations = scan.reader.rest
            while scan.take(OperationTag.operations) {
                guard let body = try scan.body(), try isOperation(body, limits) else { return nil }
                count += 1
            }
            let length = operations.count - scan.reader.count
            var isAllOrNothing = false
            if scan.take(OperationTag.all) {
                guard try scan.reader.readByte() == 1 else { return nil }
                isAllOrNothing = true
            }
            guard scan.reader.isAtEnd, count <= limits.transactionOperations else { return nil }
            return TransactionView(
                base: base,
                TransactionTraits(operationCount: count, isAllOrNothing: isAllOrNothing),
                trusted: UnsafeRawBufferPointer(rebasing: operations[..<length]))
        } catch {
            return nil
        }
    }

    /// Tags of one byte: field number and wire type.
    private enum OperationTag {
        static let base: UInt8 = 1 << 3
        static let operations: UInt8 = 2 << 3 | 2
        static let all: UInt8 = 3 << 3
        static let guardOfOperation: UInt8 = 10 << 3 | 2
        static let revision: UInt8 = 1 << 3
        static let place: UInt8 = 2 << 3
        static let content: UInt8 = 3 << 3
        static let guardedFields: UInt8 = 4 << 3 | 2
        static let id: UInt8 = 1 << 3 | 2
        static let placement: UInt8 = 2 << 3 | 2
        static let incrementField: UInt8 = 2 << 3 | 2
        static let amount: UInt8 = 3 << 3 | 1
        static let set: UInt8 = 2 << 3 | 2
        static let unset: UInt8 = 3 << 3 | 2
        static let size: UInt8 = 4 << 3 | 2
        static let noSize: UInt8 = 5 << 3
        static let kind: UInt8 = 6 << 3 | 2
        static let noKind: UInt8 = 7 << 3
        static let itemFlags: UInt8 = 8 << 3 | 2
        static let supplementaries: UInt8 = 4 << 3 | 2
        static let removedSupplementaries: UInt8 = 5 << 3 | 2
        static let sectionFlags: UInt8 = 6 << 3 | 2
        static let section: UInt8 = 1 << 3 | 2
        static let after: UInt8 = 2 << 3 | 2
        static let before: UInt8 = 3 << 3 | 2
        static let index: UInt8 = 4 << 3
        static let trail: UInt8 = 5 << 3 | 2
    }

    /// Whether the bytes are the canonical body of an operation that is within the limits.
    static func isOperation(_ bytes: UnsafeRawBufferPointer, within limits: WireLimits) -> Bool {
        do throws(ByteError) { return try isOperation(bytes, limits) } catch { return false }
    }

    private static func isOperation(
        _ bytes: UnsafeRawBufferPointer, _ limits: WireLimits
    ) throws(ByteError) -> Bool {
        var outer = CanonicalContent(bytes, 0)
        let tag = try outer.reader.readByte()
        guard tag & 7 == WireType.lengthDelimited.rawValue,
            let kind = ListOperation.Kind(rawValue: tag >> 3),
            let body = try outer.body()
        else { return false }
        if !outer.reader.isAtEnd {
            guard try outer.isGuard() else { return false }
        }
        var scan = CanonicalContent(body, limits.contentFields)
        switch kind {
        case .insert, .insertSection:
            guard scan.take(OperationTag.id), let thing = try scan.body(),
                thing.count <= limits.contentBytes
            else { return false }
            let isContent =
                kind == .insert
                ? isItem(thing, maximumFields: limits.contentFields)
                : isSection(thing, maximumFields: limits.contentFields)
            guard isContent else { return false }
            return try scan.placement(forItem: kind == .insert)
        case .move, .moveSection:
            guard try scan.name(OperationTag.id) else { return false }
            return try scan.placement(forItem: kind == .move)
        case .delete, .deleteSection:
            guard try scan.name(OperationTag.id) else { return false }
            return scan.reader.isAtEnd
        case .increment: return try scan.increment()
        case .update, .updateSection:
            guard body.count <= limits.contentBytes else { return false }
            // `==` is a generic call, which takes time in each transaction.
            if case .update = kind { return try scan.itemPatch(limits) }
            return try scan.sectionPatch(limits)
        }
    }

    /// A name behind `tag`.
    private mutating func name(_ tag: UInt8) throws(ByteError) -> Bool {
        guard take(tag), let name = try body() else { return false }
        return Identifier.isValid(name)
    }

    /// Names, each behind `tag`, at most so many.
    private mutating func names(_ tag: UInt8, atMost limit: Int) throws(ByteError) -> Bool {
        var count = 0
        while reader.nextByte == tag {
            guard try name(tag) else { return false }
            count += 1
        }
        return count <= limit
    }

    /// A placement, and nothing behind it.
    private mutating func placement(forItem: Bool) throws(ByteError) -> Bool {
        guard take(OperationTag.placement), let body = try body(), reader.isAtEnd else {
            return false
        }
        var scan = CanonicalContent(body, 0)
        if scan.reader.nextByte == OperationTag.section {
            guard forItem, try scan.name(OperationTag.section) else { return false }
        }
        switch scan.reader.nextByte {
        case OperationTag.after:
            guard try scan.name(OperationTag.after) else { return false }
        case OperationTag.before:
            guard try scan.name(OperationTag.before) else { return false }
        case OperationTag.index:
            _ = try scan.reader.readByte()
            guard try scan.number() else { return false }
        default: break
        }
        guard try scan.names(OperationTag.trail, atMost: Placement.maximumTrail) else {
            return false
        }
        return scan.reader.isAtEnd
    }

    /// A guard, and nothing behind it.
    private mutating func isGuard() throws(ByteError) -> Bool {
        guard take(OperationTag.guardOfOperation), let body = try body(), reader.isAtEnd else {
            return false
        }
        var scan = CanonicalContent(body, 0)
        if scan.take(OperationTag.revision) {
            guard scan.reader.nextByte != 0, try scan.number() else { return false }
        }
        for tag in [OperationTag.place, OperationTag.content] where scan.take(tag) {
            guard try scan.reader.readByte() == 1 else { return false }
        }
        return try scan.names(OperationTag.guardedFields, atMost: Guard.maximumFields)
            && scan.reader.isAtEnd
    }

    /// A whole number as a client may send it, in its shortest form.
    private mutating func number() throws(ByteError) -> Bool {
        let before = reader.count
        let number = try reader.readVarint()
        return before - reader.count == ByteWriter.varintSize(number)
            && number <= WireProtocol.greatestNumber
    }

    private mutating func increment() throws(ByteError) -> Bool {
        guard try name(OperationTag.id), try name(OperationTag.incrementField) else { return false }
        if take(OperationTag.amount) {
            let amount = try reader.readDouble()
            guard amount.isFinite, amount != 0 else { return false }
        }
        return reader.isAtEnd
    }

    private mutating func itemPatch(_ limits: WireLimits) throws(ByteError) -> Bool {
        guard try name(OperationTag.id), try fields(OperationTag.set, depth: 0),
            try names(OperationTag.unset, atMost: limits.contentFields)
        else { return false }
        if take(OperationTag.size) {
            guard try inner({ scan throws(ByteError) in try scan.size() }) else { return false }
        } else if take(OperationTag.noSize) {
            guard try reader.readByte() == 1 else { return false }
        }
        if reader.nextByte == OperationTag.kind {
            guard try name(OperationTag.kind) else { return false }
        } else if take(OperationTag.noKind) {
            guard try reader.readByte() == 1 else { return false }
        }
        return try changes(OperationTag.itemFlags, ItemFlags.all.rawValue)
    }

    private mutating func sectionPatch(_ limits: WireLimits) throws(ByteError) -> Bool {
        guard try name(OperationTag.id), try fields(OperationTag.set, depth: 0),
            try names(OperationTag.unset, atMost: limits.contentFields),
            try supplementaries(OperationTag.supplementaries),
            try names(OperationTag.removedSupplementaries, atMost: limits.contentFields)
        else { return false }
        return try changes(OperationTag.sectionFlags, SectionFlags.all.rawValue)
    }

    /// New values of flags, and nothing behind them.
    private mutating func changes(_ tag: UInt8, _ known: UInt8) throws(ByteError) -> Bool {
        if take(tag) {
            let areFlags = try inner { scan throws(ByteError) in
                try scan.flags(known, upTo: 1)
            }
            guard areFlags else { return false }
        }
        return reader.isAtEnd
    }
}
