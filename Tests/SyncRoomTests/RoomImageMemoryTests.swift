import SyncBytes
import SyncModel
import SyncRoom
import Testing

/// An author's results in an image are counted while they are read, and so are the losses of one.
@Suite struct RoomImageMemoryTests {
    /// An image of a room without items, whose author has so many results with so many losses each.
    private func image(results: UInt64, losses: UInt64) -> [UInt8] {
        var engine = ByteWriter()
        for number: UInt64 in [2, 1, 0, 2, 1] { engine.write(varint: number) }
        engine.write(contentsOf: [1, 0x61])
        for number: UInt64 in [1, 0, 0, 0, 0, 0] { engine.write(varint: number) }
        let engineBytes = engine.makeArray()
        var writer = ByteWriter()
        for number: UInt64 in [4, 1, 0, UInt64(engineBytes.count)] { writer.write(varint: number) }
        writer.write(contentsOf: engineBytes)
        writer.write(varint: 0)
        writer.write(contentsOf: [UInt8](repeating: 7, count: 16))
        for number in [0, results, 0, results] { writer.write(varint: number) }
        for _ in 0..<results {
            writer.write(varint: 1)
            writer.write(byte: losses > 0 ? 1 : 0)
            writer.write(varint: 1)
            guard losses > 0 else { continue }
            writer.write(varint: losses)
            for _ in 0..<losses { writer.write(varint: 0) }
        }
        return writer.makeArray()
    }

    @Test(arguments: [(100_000, 0), (1, 100_000), (10_000, 10)] as [(UInt64, UInt64)])
    func counted(results: UInt64, losses: UInt64) throws {
        let image = image(results: results, losses: losses)
        var most = 0
        let state = try image.withUnsafeBytes { bytes in
            try RoomState(image: bytes) { asked in
                most = max(most, asked)
                return true
            }
        }
        #expect(most >= state.byteCount && most > 1_000_000)
        #expect(throws: RoomError.tooLarge) {
            try image.withUnsafeBytes { bytes in
                _ = try RoomState(image: bytes) { $0 <= 200_000 }
            }
        }
    }
}
