import SeededRandom
import SyncBytes
import SyncModel
import Testing

@testable import SyncWire

/// The fast path that reads transactions, compared with the slow one.
@Suite("Canonical operations")
struct CanonicalOperationTests {
    @Test("all canonical transactions take the fast path", arguments: [UInt64](1...4))
    func yes(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        for _ in 0..<500 {
            let transaction = try generator.transaction()
            let packed = try PackedTransaction(transaction)
            #expect(short(bytes(packed)) == packed, "seed \(seed)")
            #expect(unpacked(packed) == transaction, "seed \(seed)")
        }
    }

    @Test("the fast path gives the same result as the slow one", arguments: [UInt64](1...16))
    func same(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        var taken = 0
        for _ in 0..<4000 {
            var bytes = bytes(try PackedTransaction(try generator.transaction()))
            guard !bytes.isEmpty else { continue }
            bytes[generator.below(bytes.count)] ^= 1 << UInt8(generator.below(8))
            guard let found = short(bytes) else { continue }
            taken += 1
            #expect(try long(bytes) == found, "seed \(seed)")
        }
        #expect(taken > 100)
    }

    @Test("other forms of the same transaction take the slow path, and become canonical")
    func otherForms() throws {
        let id = field(1, [0x61])
        let place = field(2, field(1, [0x6D]) + [0x20, 0x03] + field(5, [0x62]))
        let move = field(3, id + place)
        let title = field(2, field(1, [0x66]) + field(2, [0x18, 0x02]))
        let update = field(4, id + title + [0x28, 0x01] + field(8, [0x08, 0x01, 0x10, 0x00]))
        let canonical = [0x08, 0x05] + field(2, move) + field(2, update)
        let expected = try #require(short(canonical))
        #expect(expected.base == 5)
        #expect(expected.traits.operationCount == 2)
        let otherMoves: [[UInt8]] = [
            place + id,
            id + field(2, [0x20, 0x03] + field(1, [0x6D]) + field(5, [0x62])),
            id + field(2, field(1, [0x6D]) + [0x20, 0x83, 0x00] + field(5, [0x62])),
            id + place + [0x50, 0x01],
        ]
        let otherUpdates: [[UInt8]] = [
            title + id + [0x28, 0x01] + field(8, [0x08, 0x01, 0x10, 0x00]),
            id + [0x28, 0x01] + title + field(8, [0x08, 0x01, 0x10, 0x00]),
            id + title + [0x28, 0x01] + field(8, [0x10, 0x00, 0x08, 0x01]),
            id + title + [0x28, 0x01] + field(8, [0x08, 0x05, 0x10, 0x00]),
        ]
        var forms = otherMoves.map { [0x08, 0x05] + field(2, field(3, $0)) + field(2, update) }
        forms += otherUpdates.map { [0x08, 0x05] + field(2, move) + field(2, field(4, $0)) }
        forms.append(field(2, move) + [0x08, 0x05] + field(2, update))
        for form in forms {
            #expect(short(form) == nil)
            #expect(try long(form) == expected)
        }
    }

    @Test("a transaction over a limit takes the slow path, which reports it")
    func limits() throws {
        let item = Identifier("a")
        let names = try (0..<4).map { try Identifier("n\($0)") }
        let fields = names.map { Field(name: $0, value: .null) }
        let operations: [ListOperation] = [
            .update(item, ItemPatch(set: fields)),
            .update(item, ItemPatch(unset: names)),
            .updateSection(item, SectionPatch(removedSupplementaries: names)),
            .insert(Item(id: item, content: try ItemContent(fields: fields)), to: Placement()),
        ]
        for operation in operations {
            let packed = try PackedTransaction(ListTransaction(base: 0, operations: [operation]))
            var limits = WireLimits()
            limits.contentFields = 4
            #expect(short(bytes(packed), limits) == packed)
            limits.contentFields = 3
            #expect(short(bytes(packed), limits) == nil)
            #expect(throws: Rejection.self) { try long(bytes(packed), limits) }
            limits.contentFields = 4
            limits.contentBytes = 3
            #expect(short(bytes(packed), limits) == nil)
            #expect(throws: Rejection.self) { try long(bytes(packed), limits) }
        }
        let delete = try PackedTransaction(
            ListTransaction(base: 0, operations: [.delete(item), .delete(item)]))
        var limits = WireLimits()
        limits.transactionOperations = 1
        #expect(short(bytes(delete), limits) == nil)
        limits = WireLimits()
        limits.transactionBytes = delete.bytes.count - 1
        #expect(short(bytes(delete), limits) == nil)
    }

    private func bytes(_ packed: PackedTransaction) -> [UInt8] {
        var writer = ByteWriter()
        packed.write(to: &writer)
        return writer.makeArray()
    }

    private func short(
        _ bytes: [UInt8], _ limits: WireLimits = WireLimits()
    ) -> PackedTransaction? {
        bytes.withUnsafeBytes { bytes in
            CanonicalContent.transaction(bytes, limits).map { PackedTransaction($0) }
        }
    }

    private func long(
        _ bytes: [UInt8], _ limits: WireLimits = WireLimits()
    ) throws -> PackedTransaction {
        try bytes.withUnsafeBytes {
            try PackedTransaction(try ListTransaction(parsing: $0, limits: limits))
        }
    }
}
