import SeededRandom
import SyncBytes
import SyncModel
import SyncWire

/// Edits of a room that are made in advance, each encoded as in a `Transaction`. Three of four set
/// an item's title, one moves an item after another. A `Submit` with one has about 60 bytes.
struct EditPool {
    private static let count = 1 << 14
    private static let titleBytes = 25

    private(set) var edits: [[UInt8]] = []

    /// - Parameter items: the number of items in the room, as ``Talk/fill(_:items:)`` makes them.
    init(items: Int, seed: UInt64) throws {
        var writer = ByteWriter()
        for operation in try EditPool.operations(items: items, seed: seed) {
            writer.reset()
            // A base of 0 is not encoded: each sender adds its own.
            try PackedTransaction(ListTransaction(base: 0, operations: [operation]))
                .write(to: &writer)
            edits.append(writer.makeArray())
        }
    }

    /// The edits of a pool.
    static func operations(items: Int, seed: UInt64) throws -> [ListOperation] {
        var random = SplitMix64(seed: seed)
        return try (0..<count).map { try operation($0, items: items, &random) }
    }

    /// One of the edits. Those whose number is 3 modulo 4 move an item.
    static func operation(
        _ number: Int, items: Int, _ random: inout SplitMix64
    ) throws -> ListOperation {
        let item = random.below(items)
        let other = (item + 1 + random.below(items - 1)) % items
        return number % 4 == 3
            ? try move(item, behind: other) : try setTitle(of: item, number)
    }

    private static func move(_ item: Int, behind other: Int) throws -> ListOperation {
        .move(
            try EngineBenchmark.id(item),
            to: Placement(
                section: Identifier("main"), position: .after(try EngineBenchmark.id(other))))
    }

    private static func setTitle(of item: Int, _ number: Int) throws -> ListOperation {
        let text = "title number \(number), a long one indeed"
        let title = Field(
            name: Identifier("title"), value: .text(String(text.prefix(titleBytes))))
        return .update(try EngineBenchmark.id(item), ItemPatch(set: [title]))
    }
}
