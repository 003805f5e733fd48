import SeededRandom
import SyncBytes
import SyncModel
import Testing

@testable import SyncWire

/// The fast path that reads content, compared with the slow one.
@Suite("Canonical content")
struct CanonicalContentTests {
    @Test("all canonical content takes the fast path", arguments: [UInt64](1...4))
    func yes(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        for _ in 0..<500 {
            let item = try generator.item()
            let section = try generator.section()
            #expect(short(item: bytes { item.write(to: &$0) }) == item, "seed \(seed)")
            #expect(short(section: bytes { section.write(to: &$0) }) == section, "seed \(seed)")
        }
    }

    @Test("the fast path gives the same result as the slow one", arguments: [UInt64](1...8))
    func same(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        var taken = 0
        for _ in 0..<3000 {
            let item = try generator.item()
            var bytes = bytes { item.write(to: &$0) }
            bytes[generator.below(bytes.count)] ^= 1 << UInt8(generator.below(8))
            if let found = short(item: bytes) {
                taken += 1
                #expect(bytes.withUnsafeBytes { try? Item(parsing: $0) } == found, "seed \(seed)")
            }
            let section = try generator.section()
            bytes = self.bytes { section.write(to: &$0) }
            bytes[generator.below(bytes.count)] ^= 1 << UInt8(generator.below(8))
            if let found = short(section: bytes) {
                taken += 1
                #expect(
                    bytes.withUnsafeBytes { try? ListSection(parsing: $0) } == found, "seed \(seed)"
                )
            }
        }
        #expect(taken > 100)
    }

    @Test("other forms of the same content take the slow path, and become canonical")
    func otherForms() throws {
        let id = field(1, [0x61])
        let first = field(4, field(1, [0x62]) + field(2, [0x18, 0x02]))
        let second = field(4, field(1, [0x63]) + field(2, [0x10, 0x01]))
        let flags = field(5, [0x08, 0x00])
        let canonical = id + first + second + flags
        let expected = try #require(short(item: canonical))
        let forms: [[UInt8]] = [
            first + second + id + flags,
            id + second + first + flags,
            id + first + second + field(5, [0x10, 0x01, 0x08, 0x00]),
            id + field(2, []) + first + second + flags,
            id + first + second + flags + [0x50, 0x01],
            id + field(4, field(1, [0x62]) + field(2, [0x18, 0x82, 0x00])) + second + flags,
            id + field(4, field(1, [0x62]) + field(2, [0x21, 0, 0, 0, 0, 0, 0, 0xF0, 0x3F]))
                + second + flags,
        ]
        for form in forms {
            #expect(short(item: form) == nil)
            #expect(try form.withUnsafeBytes { try Item(parsing: $0) } == expected)
        }
    }

    private func bytes(_ write: (inout ByteWriter) -> Void) -> [UInt8] {
        var writer = ByteWriter()
        write(&writer)
        return writer.makeArray()
    }

    private func short(item bytes: [UInt8]) -> Item? {
        bytes.withUnsafeBytes { CanonicalContent.item($0, maximumFields: 100) }
    }

    private func short(section bytes: [UInt8]) -> ListSection? {
        bytes.withUnsafeBytes { CanonicalContent.section($0, maximumFields: 100) }
    }
}
