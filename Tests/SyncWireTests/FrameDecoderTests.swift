import SeededRandom
import SyncBytes
import SyncWire
import Testing

@Suite("Frame decoder")
struct FrameDecoderTests {
    @Test("frames are the same however the stream is split", arguments: [UInt64](1...20))
    func chunks(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        let bodies = (0..<60).map { _ in
            let length = [0, 1, 127, 128, 300, 5000, 70_000][generator.below(7)]
            return [UInt8](repeating: UInt8(generator.below(256)), count: length)
        }
        let stream = bodies.flatMap { frame($0) }
        var decoder = FrameDecoder(maximumFrameBytes: 70_000)
        var found: [[UInt8]] = []
        var at = 0
        while at < stream.count {
            let largest = [1, 3, 200, 100_000][generator.below(4)]
            let end = min(at + 1 + generator.below(largest), stream.count)
            try stream[at..<end].withUnsafeBytes { chunk in
                var input = chunk
                while let frame = try decoder.next(&input) { found.append([UInt8](frame)) }
                #expect(input.isEmpty)
            }
            at = end
        }
        #expect(found == bodies, "seed \(seed)")
        expectBoundary(decoder, true)
    }

    @Test("a length may be cut anywhere", arguments: [128, 300, 70_000])
    func cutLength(bodyLength: Int) throws {
        let body = [UInt8](repeating: 7, count: bodyLength)
        let stream = frame(body)
        for cut in 1..<(stream.count - bodyLength) {
            var decoder = FrameDecoder(maximumFrameBytes: 70_000)
            var found: [[UInt8]] = []
            for part in [stream[..<cut], stream[cut...]] {
                try part.withUnsafeBytes { chunk in
                    var input = chunk
                    while let frame = try decoder.next(&input) { found.append([UInt8](frame)) }
                }
            }
            #expect(found == [body], "cut after \(cut) bytes")
        }
    }

    @Test("the received bytes show whether the next frame is small")
    func small() throws {
        let plain = frame(field(6, [UInt8](repeating: 0, count: 900)))
        let large = frame(field(6, [UInt8](repeating: 0, count: 1100)))
        // The tag of a deflated body may have several forms.
        let deflated = [frame([0x0A, 0x00]), frame([0x8A, 0x80, 0x00, 0x00])]
        for (bytes, isSmall) in [(plain, true), (large, false)]
            + deflated.map({ ($0, false) })
        {
            for start in [0, 2, 3, 40] where start < bytes.count {
                // An incomplete frame is only buffered.
                for end in [start, bytes.count - 1, bytes.count, bytes.count + 5] {
                    var decoder = FrameDecoder()
                    let stream = bytes + plain
                    try stream[..<start].withUnsafeBytes { chunk in
                        var input = chunk
                        let none = try decoder.next(&input)
                        #expect(none == nil)
                    }
                    let found = stream[start..<max(start, end)].withUnsafeBytes {
                        decoder.isNextSmall(in: $0)
                    }
                    #expect(found == (isSmall || end < bytes.count), "\(bytes.count): \(start)")
                }
            }
        }
    }

    @Test("a frame that is complete in the input is not copied")
    func inPlace() throws {
        let stream = frame([1, 2, 3]) + frame([UInt8](repeating: 7, count: 1000))
        var decoder = FrameDecoder()
        try stream.withUnsafeBytes { chunk in
            var input = chunk
            let first = try decoder.next(&input)
            #expect(first?.baseAddress == chunk.baseAddress.map { $0 + 1 })
            let second = try decoder.next(&input)
            #expect(second?.baseAddress == chunk.baseAddress.map { $0 + 6 })
            #expect(try decoder.next(&input) == nil)
        }
    }

    @Test("it reports whether the stream ends inside a frame", arguments: 1..<5)
    func boundary(cut: Int) throws {
        var decoder = FrameDecoder()
        expectBoundary(decoder, true)
        let stream = frame([1, 2, 3]) + [0x80]
        try stream.prefix(cut == 4 ? 5 : cut).withUnsafeBytes { chunk in
            var input = chunk
            while try decoder.next(&input) != nil {}
        }
        expectBoundary(decoder, false)
    }

    private func expectBoundary(_ decoder: borrowing FrameDecoder, _ expected: Bool) {
        let isAtBoundary = decoder.isAtBoundary
        #expect(isAtBoundary == expected)
    }

    @Test(
        "a bad length is an error at its last byte",
        arguments: [
            ([0xE9, 0x07], ErrorCode.frameTooLarge),  // 1001
            ([0xFF, 0xFF, 0x7F], .frameTooLarge),
            ([0xFF, 0xFF, 0xFF, 0xFF], .frameTooLarge),
            ([0x80, 0x80, 0x80, 0x80], .frameTooLarge),
            ([0x80, 0x00], .badFrame),
            ([0x81, 0x80, 0x00], .badFrame),
        ] as [([UInt8], ErrorCode)])
    func badLength(bytes: [UInt8], code: ErrorCode) {
        var decoder = FrameDecoder(maximumFrameBytes: 1000)
        var thrown: ErrorCode?
        for (index, byte) in bytes.enumerated() {
            [byte].withUnsafeBytes { chunk in
                var input = chunk
                do throws(WireError) {
                    let frame = try decoder.next(&input)
                    #expect(frame == nil)
                } catch {
                    thrown = thrown ?? error.message.code
                    #expect(index == bytes.count - 1 || code == .frameTooLarge)
                }
            }
        }
        #expect(thrown == code)
    }

    @Test("the largest frame is accepted, and one byte more is not")
    func limit() throws {
        for (length, fits) in [(1000, true), (1001, false)] {
            var decoder = FrameDecoder(maximumFrameBytes: 1000)
            let stream = frame([UInt8](repeating: 1, count: length))
            stream.withUnsafeBytes { chunk in
                var input = chunk
                let found = try? decoder.next(&input)
                #expect((found?.count == length) == fits)
            }
        }
    }
}

/// A frame with an arbitrary body.
func frame(_ body: [UInt8]) -> [UInt8] {
    var writer = ByteWriter()
    writer.write(varint: UInt64(body.count))
    writer.write(contentsOf: body)
    return writer.makeArray()
}
