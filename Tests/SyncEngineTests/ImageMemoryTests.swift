import SyncBytes
import SyncEngine
import SyncModel
import Testing

/// A small image may make much. Reading it stops before it takes more memory than it may.
@Suite("The memory of images")
struct ImageMemoryTests {
    /// An image that makes many of something, and how many bytes of the engine each takes at least.
    struct Forgery: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let leastBytes: Int
        /// Whether the image says at first how many there are.
        let isCountKnown: Bool
        let make: @Sendable (UInt64) -> [UInt8]

        init(
            _ name: String, leastBytes: Int, isCountKnown: Bool = false,
            _ make: @escaping @Sendable (UInt64) -> [UInt8]
        ) {
            (testDescription, self.leastBytes) = (name, leastBytes)
            (self.isCountKnown, self.make) = (isCountKnown, make)
        }
    }

    /// An image of format 2, of things that were all made in revision 1.
    private static func image(
        revision: UInt64 = 1, authors: [[UInt8]] = [], freeSlots: UInt64 = 0,
        things: [[UInt8]] = [],
        nodes: [[UInt8]] = [], versions: [[UInt8]] = []
    ) -> [UInt8] {
        var writer = ByteWriter()
        for number in [2, revision, 0, UInt64(authors.count) + 1] { writer.write(varint: number) }
        writer.write(varint: UInt64(authors.count) + freeSlots)
        for author in authors { writer.write(contentsOf: author) }
        for _ in 0..<freeSlots { writer.write(byte: 0) }
        for slot in 0..<freeSlots { writer.write(varint: UInt64(authors.count) + slot) }
        writer.write(varint: things.isEmpty ? 0 : 1)
        for list in [things, nodes, versions] {
            writer.write(varint: UInt64(list.count))
            for element in list { writer.write(contentsOf: element) }
        }
        return writer.makeArray()
    }

    private static func bytes(_ numbers: UInt64...) -> [UInt8] {
        var writer = ByteWriter()
        for number in numbers { writer.write(varint: number) }
        return writer.makeArray()
    }

    /// A section, and an item with a long id whose last node is the given one.
    private static func things(lastNode: UInt64) -> [[UInt8]] {
        let id = [UInt8](repeating: 0x61, count: Identifier.maximumLength)
        return [
            bytes(1, 0x73, 0, 0, 1, 1, 0, 1, 0, 0),
            bytes(UInt64(id.count)) + id + bytes(0, 0, 0, lastNode, 0, 1, 0, 0),
        ]
    }

    static let forgeries = [
        Forgery("revisions that touched nothing", leastBytes: 8, isCountKnown: true) {
            image(revision: $0)
        },
        Forgery("free slots of authors", leastBytes: 24) { image(freeSlots: $0) },
        Forgery("authors", leastBytes: 32) { count in
            image(
                authors: (1...count).map { number in
                    let name = Array(String(number, radix: 36).utf8)
                    return [UInt8(name.count)] + name + bytes(number, 0)
                })
        },
        Forgery("former contents", leastBytes: 128) { count in
            image(
                things: things(lastNode: 2),
                nodes: [bytes(1, 1, 1, 0, 0, 0, 0, 0)]
                    + [bytes(2, 1, 1, 0, 0, 0, 0, 0)],
                versions: (0..<count).map { _ in bytes(2, 1, 0, 0) })
        },
        Forgery("nodes of one item", leastBytes: 44, isCountKnown: true) { count in
            // All but the last one died in the revision that they were born in.
            image(
                things: things(lastNode: count + 1),
                nodes: [bytes(1, 1, 1, 0, 0, 0, 0, 0)]
                    + (1...count).map { number in
                        bytes(
                            2, 1, 1, number == count ? 0 : 1, 0, 0, 0,
                            number == 1 ? 0 : number)
                    })
        },
    ]

    @Test("is counted while they are read", arguments: forgeries)
    func counted(_ forgery: Forgery) throws {
        let count = 100_000
        let image = forgery.make(UInt64(count))
        var most = 0
        let engine = try image.withUnsafeBytes { bytes in
            try Engine(image: bytes) { asked in
                most = max(most, asked)
                return true
            }
        }
        #expect(engine.byteCount >= count * forgery.leastBytes)
        #expect(most >= engine.byteCount)
        // It ends before most of it is made, not afterwards.
        let limit = engine.byteCount / 10
        var (largest, last) = (0, 0)
        var isRefused = false
        #expect(throws: ImageError.tooLarge) {
            try image.withUnsafeBytes { bytes in
                _ = try Engine(image: bytes) { asked in
                    #expect(!isRefused, "it goes on after a refusal")
                    isRefused = asked > limit
                    last = asked
                    if !isRefused { largest = max(largest, asked) }
                    return !isRefused
                }
            }
        }
        #expect(largest <= limit)
        #expect(forgery.isCountKnown || last <= limit + 100_000)
    }

    @Test("of a usual room is what it takes later, but for a small factor")
    func usual() throws {
        let room = try TestRoom("main[a b c] done[d e]")
        for number in 0..<2000 {
            try room.submit("ann", .insert("item \(number)", .end(of: "main")))
        }
        let image = room.engine.encodeImage()
        var most = 0
        let engine = try image.withUnsafeBytes { bytes in
            try Engine(image: bytes) { asked in
                most = max(most, asked)
                return true
            }
        }
        #expect(most < engine.byteCount * 3 / 2)
    }
}
