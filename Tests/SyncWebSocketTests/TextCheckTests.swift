import SeededRandom
import Testing

@testable import SyncWebSocket

@Suite("Text in pieces")
struct TextCheckTests {
    private static func isText(_ bytes: [UInt8], cutAt cut: Int) -> Bool {
        var check = TextCheck()
        return bytes.withUnsafeBytes { bytes in
            check.admits(UnsafeRawBufferPointer(rebasing: bytes[..<cut]))
                && check.admits(UnsafeRawBufferPointer(rebasing: bytes[cut...]))
                && check.isComplete
        }
    }

    @Test("up to three bytes are text if Swift says so, and the next one, too")
    func short() {
        // The bytes at which the rules change, and their neighbours.
        let edges: [UInt8] = [
            0x00, 0x0A, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0,
            0xE1, 0xEC, 0xED, 0xEE, 0xEF, 0xF0, 0xF1, 0xF3, 0xF4, 0xF5, 0xFF,
        ]
        for a in edges {
            for b in edges {
                for c in edges {
                    for bytes in [[a], [a, b], [a, b, c], [a, b, c, 0x80], [a, b, c, 0x61]] {
                        let expected = String(validating: bytes, as: UTF8.self) != nil
                        if Self.isText(bytes, cutAt: bytes.count / 2) != expected {
                            Issue.record("\(bytes)")
                        }
                    }
                }
            }
        }
    }

    @Test("long text with a wrong byte is not text", arguments: 1...50)
    func long(seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        var bytes = (0..<generator.below(60)).flatMap { _ in
            Array((generator.pick(["a", "plain ascii", "ä", "€", "🍵", "\n"]) ?? "").utf8)
        }
        #expect(Self.isText(bytes, cutAt: generator.below(bytes.count + 1)))
        guard !bytes.isEmpty else { return }
        bytes[generator.below(bytes.count)] ^= 1 << UInt8(generator.below(8))
        let expected = String(validating: bytes, as: UTF8.self) != nil
        for cut in 0...bytes.count { #expect(Self.isText(bytes, cutAt: cut) == expected) }
    }
}
