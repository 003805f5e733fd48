import SyncBytes
import Testing

@Suite struct GatheredPartsTests {
    private static func part(_ count: Int, _ byte: UInt8) -> SharedBytes {
        SharedBytes([UInt8](repeating: byte, count: count))
    }

    @Test func shortPartsAreCopiedTogetherAndLongOnesShared() {
        let long = GatheredPartsTests.part(GatheredParts.shortBytes + 1, 3)
        var gathered = GatheredParts()
        gathered.append(GatheredPartsTests.part(1, 1))
        gathered.append(GatheredPartsTests.part(GatheredParts.shortBytes, 2))
        gathered.append(long)
        gathered.append(2..<5, of: SharedBytes([0, 1, 2, 3, 4, 5]))
        gathered.append(GatheredPartsTests.part(0, 4))
        gathered.append(0..<long.count, of: long)
        #expect(gathered.byteCount == 1 + GatheredParts.shortBytes + 2 * long.count + 3)
        #expect(gathered.memoryBytes >= gathered.byteCount)
        let parts = gathered.take()
        #expect(parts.map(\.count) == [513, 513, 3, 513])
        #expect(parts[1] === long && parts[3] === long)
        #expect(parts[0].array == [1] + [UInt8](repeating: 2, count: GatheredParts.shortBytes))
        #expect(parts[2].array == [2, 3, 4])
        #expect(gathered.isEmpty && gathered.take().isEmpty && gathered.memoryBytes == 0)
    }
}
