import SyncModel
import Testing

@Suite struct RoomNameTests {
    private func name(of bytes: [UInt8]) -> RoomName? {
        bytes.withUnsafeBytes { RoomName(bytes: $0) }
    }

    @Test(arguments: [
        "a", "room 1", "caf\u{E9}", "cafe\u{301}", "o\u{301}\u{323}", "o\u{323}\u{301}", "\u{301}",
        String(repeating: "x", count: 128), String(repeating: "\u{301}", count: 64),
    ])
    func bytesAndTextsAreTheSameName(text: String) throws {
        let read = try #require(name(of: Array(text.utf8)))
        #expect(read == RoomName(text))
        #expect(read.text.utf8.elementsEqual(text.utf8))
        #expect(read.withBytes { Array($0) } == Array(text.utf8))
    }

    @Test(arguments: [
        "", "/", "a/b", "a\n", "\u{85}", String(repeating: "x", count: 129),
        String(repeating: "\u{301}", count: 65),
    ])
    func whatCantBeANameIsNone(text: String) {
        #expect(RoomName(text) == nil)
        #expect(name(of: Array(text.utf8)) == nil)
    }

    @Test func onlyUTF8IsAName() {
        for bytes in [[0xFF], [0x61, 0xCC], [0xED, 0xA0, 0x80], [0xC0, 0xAF]] as [[UInt8]] {
            #expect(name(of: bytes) == nil)
        }
    }

    /// As SQLite orders texts, and not as Swift does, to which the first two are equal.
    @Test func theOrderIsThatOfTheBytes() {
        let texts = ["cafe\u{301}", "caf\u{E9}", "cag", "caf", "z", "\u{E9}"]
        let names = texts.compactMap { RoomName($0) }.sorted()
        let sorted = texts.map { Array($0.utf8) }.sorted { $0.lexicographicallyPrecedes($1) }
        #expect(names.map { Array($0.text.utf8) } == sorted)
        #expect(Set(names).count == texts.count)
    }
}
