import Testing

@testable import collsync_bench

@Suite struct FrameSkimmerTests {
    /// Frames of sizes around the head's size, and around the limits of one and two length bytes.
    private let sizes = [1, 2, 47, 48, 49, 3, 127, 128, 200, 16_383, 16_384, 1]

    private var stream: [UInt8] {
        sizes.enumerated().flatMap { number, size in
            var length: [UInt8] = []
            var rest = size
            while rest >= 0x80 {
                length.append(UInt8(rest & 0x7F) | 0x80)
                rest >>= 7
            }
            return length + [UInt8(rest)] + [UInt8](repeating: UInt8(number), count: size)
        }
    }

    private var heads: [[UInt8]] {
        sizes.enumerated().map { number, size in
            [UInt8](repeating: UInt8(number), count: min(size, FrameSkimmer.headBytes))
        }
    }

    @Test(arguments: [1, 2, 3, 50, 100, 1000, 100_000])
    func headsAreFoundHoweverTheStreamIsCut(pieceBytes: Int) throws {
        var skimmer = FrameSkimmer()
        var found: [[UInt8]] = []
        let stream = stream
        for start in stride(from: 0, to: stream.count, by: pieceBytes) {
            let piece = stream[start..<min(start + pieceBytes, stream.count)]
            try piece.withUnsafeBytes { bytes in
                try skimmer.skim(bytes) { found.append([UInt8]($0)) }
            }
        }
        #expect(found == heads)
        #expect(skimmer.isAtBoundary)
    }

    @Test func aFrameUnderWayIsNoBoundary() throws {
        var skimmer = FrameSkimmer()
        for byte in stream.dropLast() {
            try withUnsafeBytes(of: byte) { try skimmer.skim($0) { _ in } }
        }
        #expect(!skimmer.isAtBoundary)
    }
}
