import SeededRandom
import Testing

@testable import collsync_cli

/// The keys in the bytes of a keyboard.
@Suite struct KeyDecoderTests {
    private static let escape: [UInt8] = [0x1B]

    /// Byte sequences of terminals, and their keys.
    private static let known: [(String, [Key])] = [
        ("\u{1B}[A", [.up]), ("\u{1B}[B", [.down]), ("\u{1B}[C", [.right]), ("\u{1B}[D", [.left]),
        ("\u{1B}OA", [.up]), ("\u{1B}OH", [.home]), ("\u{1B}[H", [.home]), ("\u{1B}[F", [.end]),
        ("\u{1B}[1~", [.home]), ("\u{1B}[4~", [.end]), ("\u{1B}[5~", [.pageUp]),
        ("\u{1B}[6~", [.pageDown]), ("\u{1B}[6;5~", [.pageDown]), ("\u{1B}[1;5B", [.down]),
        ("\u{1B}[Z", [.backTab]), ("\t", [.tab]), ("\r", [.enter]), ("\n", [.enter]),
        ("\u{3}", [.interrupt]), ("\u{C}", [.redraw]), ("q", [.character("q")]),
        ("ñ日🍎", [.character("ñ"), .character("日"), .character("🍎")]),
        ("\u{1B}q", [.escape, .character("q")]), ("\u{1B}\u{1B}[A", [.escape, .up]),
        ("\u{1B}[200~", []), ("\u{1B}[?1;2c", []), ("\u{0}\u{1C}\u{1F}", []),
        ("\u{7F}\u{8}\u{1B}[3~", [.backspace, .backspace, .delete]),
        ("\u{1}\u{4}\u{1A}", [.control("a"), .control("d"), .control("z")]),
        ("\u{1B}[\rj", [.enter, .character("j")]),
    ]

    @Test func keysAreKnown() {
        for (text, keys) in Self.known {
            var decoder = KeyDecoder()
            #expect(decoder.take(Array(text.utf8)) == keys, "\(text.debugDescription)")
            #expect(!decoder.isPending, "\(text.debugDescription)")
        }
    }

    /// The keys are the same, however the bytes are split.
    @Test func sequencesMayComeInParts() {
        let bytes = Self.known.flatMap { Array($0.0.utf8) }
        let keys = Self.known.flatMap { $0.1 }
        for length in 1...7 {
            var decoder = KeyDecoder()
            var taken: [Key] = []
            var rest = bytes[...]
            while !rest.isEmpty {
                taken += decoder.take(rest.prefix(length))
                rest = rest.dropFirst(length)
            }
            #expect(taken == keys, "\(length)")
        }
    }

    @Test func anEscapeAloneIsAKey() {
        var decoder = KeyDecoder()
        #expect(decoder.take(Self.escape).isEmpty)
        #expect(decoder.isPending)
        #expect(decoder.flush() == [.escape])
        #expect(!decoder.isPending)
        #expect(decoder.take(Array("j".utf8)) == [.character("j")])
        #expect(decoder.flush().isEmpty)
    }

    @Test(arguments: [
        [0xFF, 0xFE, 0x80], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF5, 0x80, 0x80, 0x80],
        [0xE2, 0x28],
        [0xF4, 0x90, 0x80, 0x80],
    ])
    func whatIsNoTextIsPassedOver(bytes: [UInt8]) {
        var decoder = KeyDecoder()
        let keys = decoder.take(bytes + Array("q".utf8))
        #expect(keys.last == .character("q"))
        #expect(keys.dropLast().allSatisfy { $0 == .character("(") })
    }

    /// Garbage is not buffered for long, and a later key is recognized.
    @Test func garbageEnds() {
        for seed in 0..<200 as Range<UInt64> {
            var random = SplitMix64(seed: seed)
            var decoder = KeyDecoder()
            let bytes = (0..<300).map { _ in UInt8.random(in: 0...255, using: &random) }
            _ = decoder.take(bytes)
            _ = decoder.flush()
            #expect(decoder.take(Array("q".utf8)) == [.character("q")], "seed \(seed)")
        }
        var decoder = KeyDecoder()
        _ = decoder.take(Self.escape + Array("[".utf8) + Array(repeating: 0x31, count: 1_000))
        #expect(decoder.take(Array("~j".utf8)).last == .character("j"))
    }
}
