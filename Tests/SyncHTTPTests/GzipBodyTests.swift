import SeededRandom
import SyncBytes
import SyncHTTPCodec
import Testing

@Suite struct GzipBodyTests {
    /// Text that can be compressed, of any length.
    private func text(_ random: inout SplitMix64) -> [UInt8] {
        let count = [0, 1, 5, 300, 4000, 65_535, 65_536, 200_000][random.below(8)]
        return (0..<count).map { _ in UInt8(ascii: "a") + UInt8(random.below(4)) }
    }

    @Test("bodies share their pieces, in any order and among any text", arguments: 0..<30)
    func sharedPieces(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let packer = GzipPacker()
        let texts = (0..<6).map { _ in text(&random) }
        let pieces = texts.map { $0.withUnsafeBytes { packer.pack($0) } }
        for _ in 0..<4 {
            var (body, expected) = (GzipBody(), [UInt8]())
            var bytes = GzipBody.beginning.array
            for _ in 0..<random.below(12) {
                let index = random.below(texts.count)
                expected += texts[index]
                if random.chance(50), let piece = pieces[index] {
                    bytes += body.add(piece).array
                } else if texts[index].count < 65_536, random.chance(50) {
                    bytes += body.add(GzipBlock(texts[index])).array
                } else {
                    bytes += body.add(SharedBytes(texts[index])).flatMap(\.array)
                }
                // A client has all of it at once.
                let sofar = try Gunzip(bytes)
                #expect(sofar.text == expected && !sofar.isWhole)
            }
            let whole = try Gunzip(bytes + body.end.array)
            #expect(whole.text == expected && whole.isWhole)
        }
    }

    @Test("what would not get shorter stays as it is")
    func randomText() {
        var random = SplitMix64(seed: 1)
        let packer = GzipPacker()
        for count in [0, 1, 4, 100, 100_000] {
            let bytes = (0..<count).map { _ in UInt8(random.below(256)) }
            #expect(bytes.withUnsafeBytes { packer.pack($0) } == nil)
        }
        let piece = Array(repeating: UInt8(7), count: 100_000).withUnsafeBytes { packer.pack($0) }
        #expect(piece.map { $0.blocks.count < 1000 && $0.textBytes == 100_000 } == true)
    }
}
